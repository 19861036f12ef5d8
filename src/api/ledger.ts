import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ledger, type LedgerEntry } from '../control/ledger.ts';
import { invalid } from '../errors.ts';
import { findKind, KINDS } from '../resource/kinds.ts';
import { quote } from '../resource/path.ts';
import type { Reader, Row } from '../resource/store.ts';
import { addressOf, collection, paging } from './collection.ts';
import { describeKey } from './keys.ts';
import { described, type Operation } from './openapi/operation.ts';
import { PAGING } from './openapi/parameters.ts';
import { keyFields, listOf, time } from './openapi/shapes.ts';
import type { ApiOptions } from './options.ts';

/** Which resources: `type`, `mesh` and `name` (the display name, or what it is called here). */
interface Wanted {
  readonly types: readonly string[];
  readonly mesh: string | undefined;
  readonly name: string | undefined;
}

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
        reason: z.string().optional(),
        since: time.optional(),
      }),
    ),
  },
};

/**
 * `GET /_ledger?type=&mesh=&name=&peer=`: where each resource stands at each peer. `size`, `offset` and `total` count
 * resources; each has an entry for every peer that should have it.
 */
export function addLedgerRoute(app: FastifyInstance, { plane, sync }: ApiOptions): void {
  app.get('/_ledger', described('Could not retrieve resources', operation), (request) => {
    const query = addressOf(request).searchParams;
    const { offset, size } = paging(query);
    const peer = query.get('peer') || undefined;
    const { rows, total } = pageOf(plane.store, wantedBy(query), offset, size);
    const entries = sync ? ledger(plane, rows, (name) => sync.view(name)) : [];
    const items = entries.filter((entry) => peer === undefined || entry.peer === peer).map(describeEntry);
    return collection(request, total, items);
  });
}

function wantedBy(query: URLSearchParams): Wanted {
  const type = query.get('type') || undefined;
  if (type !== undefined && !findKind(type)) throw invalid([{ field: 'type', reason: `${quote(type)} is not a kind` }]);
  const types = type === undefined ? KINDS.map((kind) => kind.type) : [type];
  return { types, mesh: query.get('mesh') || undefined, name: query.get('name') || undefined };
}

/** The kinds one after another, each in its own order: the part of that list after `offset`. */
function pageOf(store: Reader, wanted: Wanted, offset: number, size: number): { rows: readonly Row[]; total: number } {
  const rows: Row[] = [];
  let total = 0;
  for (const type of wanted.types) {
    const { name, mesh } = wanted;
    const from = Math.max(0, offset - total);
    const page = name === undefined ? listed(store, type, mesh, from, size - rows.length) : named(store, type, mesh, name);
    rows.push(...(name === undefined ? page.rows : page.rows.slice(from, from + size - rows.length)));
    total += page.total;
  }
  return { rows, total };
}

function listed(store: Reader, type: string, mesh: string | undefined, offset: number, size: number) {
  const { items, total } = store.list({ type, mesh }, offset, size);
  return { rows: items.flatMap(({ key }) => store.get(key) ?? []), total };
}

function named(store: Reader, type: string, mesh: string | undefined, name: string) {
  const rows = [...store.each(type)].filter(
    ({ resource: { key, name: here } }) => (key.name === name || here === name) && (mesh === undefined || key.mesh === mesh),
  );
  return { rows, total: rows.length };
}

function describeEntry({ key, peer, state, reason, since }: LedgerEntry) {
  return { ...describeKey(key), peer, state, reason, since };
}
