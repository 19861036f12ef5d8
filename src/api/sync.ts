import type { FastifyInstance } from 'fastify';
import type { PeerView } from '../control/peer-view.js';
import { peersOf } from '../control/peers.js';
import type { Plane } from '../control/plane.js';
import { diverged, orphansOf } from '../control/recover.js';
import { GLOBAL_PEER } from '../resource/audience.js';
import type { Refusal } from '../resource/store.js';
import { describeKey } from './keys.js';
import type { ApiOptions } from './options.js';

/** `GET /_sync`: this store, and how it stands with each peer. */
export function addSyncRoute(app: FastifyInstance, { plane, sync }: ApiOptions): void {
  app.get('/_sync', () => {
    const { store, term, revision } = plane.store.head();
    const peers = sync ? [...new Set([...peersOf(plane.store), ...sync.peers()])].sort() : [];
    return {
      store,
      term,
      revision,
      diverged: diverged(plane.store) ?? null,
      ended: sync?.ended() ?? null,
      peers: sync ? peers.map((peer) => describePeer(plane, sync.view(peer))) : [],
    };
  });
}

/** How the API calls a peer. */
export function peerName(peer: string): string {
  return peer === GLOBAL_PEER ? 'global' : peer;
}

/** `refused`: what this side refused of the peer's feed. `absent`: what stays in force although the peer's present store lacks it. */
function describePeer({ store }: Plane, { peer, head, ack, ...view }: PeerView) {
  return {
    ...view,
    peer: peerName(peer),
    head: describePosition(head),
    ack: ack ? { ...ack, position: ack.position ? describePosition(ack.position) : null } : null,
    stopped: view.stopped ?? null,
    refused: store.mirror.refusals(peer).map(describeRefusal),
    absent: orphansOf(store, peer).map(({ key }) => describeKey(key)),
  };
}

/** Without the signature: it is the peer's to show. */
function describePosition({ store, term, revision, digest, count }: Omit<PeerView['head'], 'signature'>) {
  return { store, term, revision, digest, count };
}

function describeRefusal({ key, reason, since, inForce }: Refusal) {
  return { ...describeKey(key), reason, since, inForce };
}
