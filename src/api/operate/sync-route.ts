import { orphansOf } from '../../control/peers/lost-store.ts';
import { inTurns } from '../../control/plane/in-turns.ts';
import { diverged } from '../../control/peers/divergence.ts';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import type { PeerView } from '../../control/peers/peer-view.ts';
import { lateAt } from '../../control/operate/late-changes.ts';
import { readReported } from '../../control/peers/reported-refusals.ts';
import { peersOf } from '../../control/peers/known-peers.ts';
import type { Plane, Quota } from '../../control/plane/plane.ts';
import { peerName } from '../../resource/audience.ts';
import { IN_FORCE, type Reader, type Refusal } from '../../resource/store/store.ts';
import { describeKey } from './describe-key.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { keyFields, time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';

/** Refusals of a peer that are shown: the ledger has all of them. */
const MOST_SHOWN = 20;

const count = z.int().min(0);
const position = z.strictObject({ store: z.string(), term: count, revision: count, digest: z.string(), count }).meta({ id: 'Position' });
const refusal = z.strictObject({ ...keyFields, reason: z.string(), since: time, inForce: z.enum(IN_FORCE) });

const peerShape = z
  .strictObject({
    peer: z.string(),
    online: z.boolean(),
    lastSeen: time.nullable().describe('When it was heard last, by the clock here; null: not since this process started'),
    upToDate: z.boolean(),
    head: position,
    ack: z
      .strictObject({ position: position.nullable(), refusals: z.string(), notTaken: z.string().optional() })
      .nullable()
      .describe('How far the peer has what is for it, as it said last; `notTaken`: why it took nothing of the last transfer'),
    notTaken: z.string().nullable().describe("Why nothing of the peer's last transfer was taken here"),
    stopped: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    unsent: z.string().nullable().describe('Why what is meant for it does not reach it, although both are connected'),
    stranger: z.strictObject({ message: z.string() }).nullable().describe('Another store that speaks for the peer too, and is refused'),
    failures: count,
    about: z.strictObject({ environment: z.string(), systemNamespace: z.string(), version: z.string() }).optional(),
    held: z
      .strictObject({ resources: count, bytes: count, mostResources: count, mostBytes: count })
      .nullable()
      .describe('At global: what the zone holds here, and what it may. More is refused with `over_quota`'),
    refused: z.array(refusal).describe('What this side refused of the peer: the first of it, by key'),
    refusedCount: count.describe('How much that is in all'),
    absent: z
      .array(z.strictObject(keyFields))
      .describe("What stays in force although the peer's present store lacks it: the first of it, by key"),
    absentCount: count.describe('How much that is in all'),
    late: count.describe('How many of the resources for the peer changed since its last word'),
    reported: z
      .strictObject({ total: count, first: z.array(refusal).max(MOST_SHOWN) })
      .describe('What the peer said that it refused of this side: how many, and the first of them'),
  })
  .meta({ id: 'Peer' });

const operation: Operation = {
  id: 'getSync',
  summary: 'This store, and how it stands with each peer',
  tag: 'Zones and sync',
  answers: {
    200: z.strictObject({
      store: z.string(),
      term: count,
      revision: count,
      diverged: z.string().nullable(),
      ended: z.string().nullable(),
      peers: z.array(peerShape),
    }),
  },
};

/** What of one peer is listed at most: with a thousand of them, an answer is a few MB at the most. */
const LISTED = 100;

/** `GET /_sync`: this store, and how it stands with each peer. */
export function addSyncRoute(app: FastifyInstance, { plane, sync, now = Date.now }: ApiOptions): void {
  app.get('/_sync', described('Could not show the sync', operation), () => inTurns('view', describeSync(plane, sync, now())));
}

function* describeSync(plane: Plane, sync: ApiOptions['sync'], at: number) {
  const { store, term, revision } = plane.store.head();
  const peers = sync ? [...new Set([...peersOf(plane.store), ...sync.peers()])].sort() : [];
  const shown: unknown[] = [];
  for (const peer of peers) if (sync) shown.push(yield* describePeer(plane, sync.view(peer), at));
  return {
    store,
    term,
    revision,
    diverged: diverged(plane.store) ?? null,
    ended: sync?.ended() ?? null,
    peers: shown,
  };
}

/**
 * `refused`: what this side refused of the peer's feed. `absent`: what stays in force although the peer's present store
 * lacks it.
 */
function* describePeer({ store, quota }: Plane, { peer, head, ack, silentFor, ...view }: PeerView, now: number) {
  const absent = yield* orphansOf(store, peer);
  return {
    ...view,
    peer: peerName(peer),
    lastSeen: silentFor === undefined ? null : new Date(now - silentFor).toISOString(),
    head: describePosition(head),
    ack: ack ? { ...ack, position: ack.position ? describePosition(ack.position) : null } : null,
    notTaken: view.notTaken ?? null,
    stopped: view.stopped ?? null,
    unsent: view.unsent ?? null,
    stranger: view.stranger ?? null,
    held: describeHeld(store, quota, peer),
    refused: store.mirror.refusals(peer, undefined, LISTED).map(describeRefusal),
    refusedCount: store.mirror.refusalSum(peer).count,
    absent: absent.slice(0, LISTED).map(({ key }) => describeKey(key)),
    absentCount: absent.length,
    late: lateAt(store, { peer, head, ack }),
    reported: describeReported(store, peer),
  };
}

function describeReported(store: Reader, peer: string) {
  const { refusals } = readReported(store, peer);
  return { total: refusals.length, first: refusals.slice(0, MOST_SHOWN).map(describeRefusal) };
}

function describeHeld(store: Reader, quota: Quota | undefined, peer: string) {
  if (!quota) return null;
  const { resources, bytes } = store.holding(peer);
  return { resources, bytes, mostResources: quota.resources, mostBytes: quota.bytes };
}

/** Without the signature: it is the peer's to show. */
function describePosition({ store, term, revision, digest, count }: Omit<PeerView['head'], 'signature'>) {
  return { store, term, revision, digest, count };
}

function describeRefusal({ key, reason, since, inForce }: Refusal) {
  return { ...describeKey(key), reason, since, inForce };
}
