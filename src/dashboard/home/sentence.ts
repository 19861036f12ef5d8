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

/** A piece of a sentence; `to`: the view that it leads to. */
export interface SentencePart {
  readonly text: string;
  readonly to?: readonly string[];
}

/** How all stands: a sentence for each peer that is in trouble, or one about all; each says where there is more. */
export function sentencesOf(peers: readonly SyncPeer[], mode: 'global' | 'zone', policies: number): (readonly SentencePart[])[] {
  if (peers.length === 0) return [[{ text: mode === 'global' ? 'No zone has connected yet' : 'This zone has not heard from a global' }]];
  const here = mode === 'global' ? 'global' : 'this zone';
  const troubled = peers.flatMap((peer) => {
    const troubles = troublesOf(peer, here);
    const to = ['peer', peer.peer];
    return troubles.length === 0 ? [] : [[{ text: `${peer.peer} ` }, ...joined(troubles.map((text) => ({ text, to })))]];
  });
  if (troubled.length > 0) return troubled;
  const all = { text: counted(policies, 'policy'), to: ['kinds'] };
  if (mode === 'zone')
    return [
      [{ text: 'This zone and ' }, { text: 'global', to: ['peer', 'global'] }, { text: ' are in step, with ' }, all, { text: ' here' }],
    ];
  const [who, verb] = peers.length === 1 ? ['The zone', ' has'] : [`All ${peers.length} zones`, ' have'];
  return [[{ text: who, to: ['kinds', 'zones'] }, { text: `${verb} what is meant for ${peers.length === 1 ? 'it' : 'them'} of ` }, all]];
}

/** `3 changes`, `1 policy`. */
function counted(count: number, what: string): string {
  const many = what.endsWith('y') ? `${what.slice(0, -1)}ies` : `${what}s`;
  return `${count.toLocaleString('en')} ${count === 1 ? what : many}`;
}

/** `a`, `a and b`, `a, b and c`. */
function joined(parts: readonly SentencePart[]): SentencePart[] {
  return parts.flatMap((part, index) => {
    const between = index === 0 ? [] : [{ text: index === parts.length - 1 ? ' and ' : ', ' }];
    return [...between, part];
  });
}
