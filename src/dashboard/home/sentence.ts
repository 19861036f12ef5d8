import type { SyncPeer } from './peer.ts';

/** What is wrong with one peer, in words that follow its name; none: it is in step. */
export function troublesOf(peer: SyncPeer, here: string): string[] {
  const { stopped, online, late, upToDate, reported, refused, unsent } = peer;
  const said = [
    stopped && `is stopped (${stopped.message})`,
    !online && 'is not connected',
    late > 0 && `has not confirmed ${counted(late, 'change')}`,
    online && late > 0 && unsent !== null && `is not reached (${unsent})`,
    online && !upToDate && `has sent more than ${here} has so far`,
    reported.total > 0 && `refused ${reported.total} of ${here}`,
    refused.length > 0 && `had ${refused.length} refused by ${here}`,
  ];
  return said.filter((one) => typeof one === 'string');
}

/** How all stands, in one sentence; each part is about one peer, or about all of them (`peer` is ''). */
export function sentenceOf(peers: readonly SyncPeer[], mode: 'global' | 'zone', policies: number): { peer: string; text: string }[] {
  if (peers.length === 0)
    return [{ peer: '', text: mode === 'global' ? 'No zone has connected yet' : 'This zone has not heard from a global' }];
  const here = mode === 'global' ? 'global' : 'this zone';
  const troubled = peers.flatMap((peer) => {
    const troubles = troublesOf(peer, here);
    return troubles.length === 0 ? [] : [{ peer: peer.peer, text: `${peer.peer} ${joined(troubles)}` }];
  });
  if (troubled.length > 0) return troubled;
  const text =
    mode === 'zone'
      ? `This zone and global are in step, with ${counted(policies, 'policy')} here`
      : `${peers.length === 1 ? 'The zone has' : `All ${peers.length} zones have`} what is meant for ${peers.length === 1 ? 'it' : 'them'} of ${counted(policies, 'policy')}`;
  return [{ peer: '', text }];
}

/** `3 changes`, `1 policy`. */
function counted(count: number, what: string): string {
  const many = what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`;
  return `${count.toLocaleString('en')} ${count === 1 ? what : many}`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
