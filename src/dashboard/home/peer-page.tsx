import { get } from '../api.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import type { SyncPeer } from './peer.ts';
import { PeerCard } from './peer-card.tsx';

/** One peer: what it has not confirmed, and all that is known of what was refused. */
export function PeerPage({ name }: { name: string }) {
  const { value, problem } = useLoaded(`peer ${name}`, async () => {
    const [{ peers }, { isGlobal }] = await Promise.all([get<{ peers: readonly SyncPeer[] }>('/_sync'), loadMode()]);
    return { peer: peers.find(({ peer }) => peer === name), here: isGlobal ? 'global' : 'this zone' };
  });
  return (
    <>
      <h1>{name}</h1>
      <Problem text={problem} />
      {value && !value.peer && <p class="hint">Nothing is known of it here.</p>}
      {value?.peer && (
        <ul class="cards one">
          <PeerCard peer={value.peer} here={value.here} most={Number.POSITIVE_INFINITY} />
        </ul>
      )}
    </>
  );
}
