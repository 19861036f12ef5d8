import type { PeerView } from '../../src/control/peers/peer-view.ts';
import type { Position } from '../../src/resource/store/store.ts';

/** A peer that is heard, and with which nothing is wrong; `head`: our feed for it. */
export function heardPeer(peer: string, head: Position, more: Partial<PeerView> = {}): PeerView {
  return {
    peer,
    online: true,
    silentFor: 0,
    upToDate: true,
    ack: { position: head, refusals: '' },
    head,
    notTaken: undefined,
    stopped: undefined,
    unsent: undefined,
    stranger: undefined,
    failures: 0,
    about: undefined,
    ...more,
  };
}
