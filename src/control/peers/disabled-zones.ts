import { perPeer } from './per-peer.ts';
import { zoneState } from './zone-state.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';

/** Which zones may exchange nothing. Remembered until a Zone changes: it is asked at each message. */
export class DisabledZones {
  private readonly plane: Plane;

  private readonly disabled = perPeer<boolean>();
  private revision = -1;

  constructor(plane: Plane) {
    this.plane = plane;
  }

  is(peer: string): boolean {
    if (!isGlobal(this.plane.place)) return false;
    this.renew();
    const known = this.disabled.get(peer) ?? zoneState(this.plane.store, peer) === 'disabled';
    this.disabled.set(peer, known);
    return known;
  }

  private renew(): void {
    const { revision } = this.plane.store.head();
    if (revision === this.revision) return;
    const touched = this.plane.touched?.(this.revision);
    if (!touched || touched.some(({ type }) => type === 'Zone')) this.disabled.clear();
    this.revision = revision;
  }
}
