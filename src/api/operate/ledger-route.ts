import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { countProxies, type ProxyStatus } from '../../control/enforce/proxy-status.ts';
import type { LedgerEntry } from '../../control/operate/ledger.ts';
import { type LedgerPage, ledgerPage } from '../../control/operate/ledger-page.ts';
import { invalid } from '../../errors.ts';
import { findKind, KINDS } from '../../resource/kinds.ts';
import { quote } from '../../resource/field-path.ts';
import type { WithdrawalFilter } from '../../resource/store/withdrawals.ts';
import { addressOf, collection, paging } from '../http/paged-collection.ts';
import { describeKey } from './describe-key.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { keyFields, listOf, time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';

const operation: Operation = {
  id: 'getLedger',
  summary: 'Where each resource stands at each peer',
  tag: 'Zones and sync',
  query: {
    ...PAGING,
    type: z.enum(KINDS.map((kind) => kind.type)),
    mesh: z.string(),
    name: z.string().describe('The display name, or what it is called here'),
    peer: z.string(),
  },
  answers: {
    200: listOf(
      z.strictObject({
        ...keyFields,
        peer: z.string(),
        state: z.enum(['applied', 'refused', 'on its way', 'unverified']),
        deleted: z
          .literal(true)
          .optional()
          .describe('It was deleted, or is not for the peer any more, which may hold and enforce it still'),
        reason: z.string().optional(),
        since: time.optional(),
      }),
    ).extend({
      unknown: z
        .array(z.strictObject({ peer: z.string(), reason: z.string() }))
        .describe('Peers that may hold what was deleted, and which deletes those are is not known any more'),
      exists: z.boolean().optional().describe('Whether anything here has the `name` that was asked for'),
      proxies: z
        .strictObject({ connected: z.int().min(0), current: z.int().min(0) })
        .optional()
        .describe('In a zone: its connected Envoys, and how many of them took all that is applied here'),
    }),
  },
};

/**
 * `GET /_ledger?type=&mesh=&name=&peer=`: where each resource stands at each peer, and what is on its way out there.
 * `size`, `offset` and `total` count entries: one for each resource and peer.
 */
export function addLedgerRoute(app: FastifyInstance, { plane, sync, proxies }: ApiOptions): void {
  app.get('/_ledger', described('Could not retrieve resources', operation), (request) => {
    const query = addressOf(request).searchParams;
    const { offset, size } = paging(query);
    const filter = filterBy(query);
    const wanted = { filter, peer: query.get('peer') || undefined, offset, size };
    const page = sync ? ledgerPage(plane, (peer) => sync.view(peer), wanted) : NOTHING;
    const { total, items, next } = collection(request, page.total, page.entries.map(describeEntry));
    return {
      total,
      items,
      next,
      unknown: page.unknown,
      exists: filter.name === undefined ? undefined : plane.store.sent.exists(filter),
      proxies: proxies && proxiesIn(proxies()),
    };
  });
}

/** A control plane that stands alone sends nothing. */
const NOTHING: LedgerPage = { entries: [], total: 0, unknown: [] };

function filterBy(query: URLSearchParams): WithdrawalFilter {
  const type = query.get('type') || undefined;
  if (type !== undefined && !findKind(type)) throw invalid([{ field: 'type', reason: `${quote(type)} is not a kind` }]);
  return { type, mesh: query.get('mesh') || undefined, name: query.get('name') || undefined };
}

/** Of the proxies that are connected, how many took everything that this zone's policies are for them now. */
function proxiesIn(proxies: readonly ProxyStatus[]) {
  const { connected, current } = countProxies(proxies);
  return { connected, current };
}

function describeEntry({ key, peer, state, deleted, reason, since }: LedgerEntry) {
  return { ...describeKey(key), peer, state, deleted, reason, since };
}
