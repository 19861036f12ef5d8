import type { Effect } from '../../kds/session.ts';
import { placeOf, readPeer, writePeer } from '../peers/known-peers.ts';
import { durabilityOfCopies, type Plane } from '../plane/plane.ts';
import { readLines } from '../receive/received-change.ts';
import { writeReported } from '../peers/reported-refusals.ts';
import { forgetUnused } from '../receive/retry-over-quota.ts';

/** The effects of a session that only change the store, and no feed. */
export type StoreEffect = Extract<Effect, { do: 'stage' | 'unstage' | 'adopt' | 'pin' | 'refusals' }>;

/** Does what a session said, in one commit. */
export function writeEffect(plane: Plane, peer: string, effect: StoreEffect): void {
  const { store, place, now } = plane;
  const durability = holdsCopies(effect) ? durabilityOfCopies(place) : 'at once';
  store.commit((tx) => {
    switch (effect.do) {
      case 'stage': {
        const origin = placeOf(tx, peer);
        return origin && tx.mirror.stage(peer, readLines(effect.lines, origin));
      }
      case 'unstage':
        tx.mirror.clearStage(peer);
        return forgetUnused(tx, plane, peer);
      case 'adopt':
        return tx.mirror.setPosition(peer, effect.position);
      case 'pin':
        return writePeer(tx, peer, { ...readPeer(tx, peer), store: effect.store });
      case 'refusals':
        return writeReported(tx, peer, effect.digest, effect.refusals, now());
    }
  }, durability);
}

function holdsCopies(effect: StoreEffect): boolean {
  return effect.do === 'stage' || effect.do === 'unstage' || effect.do === 'adopt';
}
