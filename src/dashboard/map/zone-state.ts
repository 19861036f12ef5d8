import type { SyncPeer } from '../home/peer.ts';
import { troublesOf } from '../home/sentence.ts';

/** How a zone stands, by a colour, a sign and words. */
export interface ZoneState {
  readonly name: string;
  readonly standing: 'good' | 'troubled' | 'offline' | '';
  readonly sign: string;
  readonly text: string;
  /** Whether it has a page of its own here. */
  readonly peer: boolean;
}

/** What is known here of a zone. `peer`: how it stands with this control plane; undefined: it is none. */
export function zoneState(name: string, peer: SyncPeer | undefined, here: string): ZoneState {
  if (!peer)
    return { name, standing: name === here ? 'good' : '', sign: name === here ? '✓' : '', text: name === here ? 'here' : '', peer: false };
  const troubles = troublesOf(peer, here === '' ? 'global' : 'this zone');
  const text = troubles.join('; ') || 'in step';
  if (!peer.online) return { name, standing: 'offline', sign: '✕', text, peer: true };
  if (troubles.length === 0) return { name, standing: 'good', sign: '✓', text, peer: true };
  return { name, standing: 'troubled', sign: peer.reported.total + peer.refused.length > 0 ? '!' : '…', text, peer: true };
}
