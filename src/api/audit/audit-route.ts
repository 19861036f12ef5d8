import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { AUDIT_OUTCOMES, type AuditFilter } from '../../resource/store/audit.ts';
import { quote } from '../../resource/field-path.ts';
import { addressOf, type Collection, paging } from '../http/paged-collection.ts';
import { described } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { listOf, time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';
import type { AuditTrail } from './audit-trail.ts';

const FILTERS = ['principal', 'operation', 'outcome', 'type', 'mesh', 'name', 'kri'] as const;

const entry = z
  .strictObject({
    id: z.int().min(1).describe('Later entries have greater ones'),
    time,
    principal: z.string().describe("A token's subject, or `loopback`; '' for somebody unknown"),
    role: z.string(),
    address: z.string().describe('Where the request came from'),
    operation: z.string().describe("`put` and `delete` of a resource, else the operation's id in this document"),
    type: z.string(),
    mesh: z.string(),
    name: z.string(),
    kri: z.string().describe("'' where it is about no resource, or one that is not there"),
    outcome: z.enum(AUDIT_OUTCOMES),
    revision: z.int().nullable().describe('Of the commit'),
    code: z.string().describe('Why it was refused'),
  })
  .meta({ id: 'AuditEntry', description: 'Who did what, or was refused: never what was in the request' });

const route = described('Could not retrieve the audit log', {
  id: 'listAudit',
  tag: 'Security',
  summary: 'Who changed what, the newest first',
  description: 'The last 100,000 acts and 10,000 refusals are kept. What the sync brings is in the ledger, not here.',
  query: {
    size: PAGING.size,
    before: z.int().min(1).max(Number.MAX_SAFE_INTEGER).describe('Entries with smaller ids'),
    principal: z.string(),
    operation: z.string(),
    outcome: z.enum(AUDIT_OUTCOMES),
    type: z.string(),
    mesh: z.string(),
    name: z.string(),
    kri: z.string(),
  },
  answers: { 200: listOf(entry) },
});

/** `GET /_audit`: paged by ids, so that what is written meanwhile moves nothing. */
export function addAuditRoute(app: FastifyInstance, { plane }: ApiOptions, trail: AuditTrail): void {
  app.get('/_audit', route, async (request) => {
    await trail.flush();
    const address = addressOf(request);
    const { size } = paging(address.searchParams);
    const { items, total } = plane.store.audit.list(filterOf(address.searchParams), beforeOf(address.searchParams.get('before')), size + 1);
    const shown = items.slice(0, size);
    const last = items.length > size ? shown.at(-1) : undefined;
    if (last) address.searchParams.set('before', String(last.id));
    const next = last ? address.href : null;
    return { total, items: shown, next } satisfies Collection<(typeof items)[number]>;
  });
}

function filterOf(query: URLSearchParams): AuditFilter {
  const outcome = query.get('outcome') || undefined;
  if (outcome !== undefined && !AUDIT_OUTCOMES.some((known) => known === outcome)) {
    throw invalid([{ field: 'outcome', reason: `${quote(outcome)} must be one of ${AUDIT_OUTCOMES.join(', ')}` }]);
  }
  return Object.fromEntries(FILTERS.map((field) => [field, query.get(field) || undefined]));
}

function beforeOf(text: string | null): number | undefined {
  if (!text) return undefined;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw invalid([{ field: 'before', reason: 'must be the id of an entry' }]);
}
