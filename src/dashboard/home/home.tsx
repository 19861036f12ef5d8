import { get } from '../api.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import type { SyncPeer } from './peer.ts';
import { PeerCard } from './peer-card.tsx';
import { RecentChanges } from './recent-changes.tsx';
import { sentencesOf } from './sentence.ts';

interface Overview {
  readonly peers: readonly SyncPeer[];
  readonly mode: 'global' | 'zone';
  readonly policies: number;
}

/** How all stands: one sentence, a card for each peer, and what changed last. */
export function Home({ asAdmin }: { asAdmin: boolean }) {
  const { value, problem } = useLoaded('home', loadOverview);
  return (
    <>
      <Problem text={problem} />
      {value && <Sentence {...value} />}
      {value && (
        <ul class="cards" aria-label="Peers">
          {value.peers.map((peer) => (
            <PeerCard key={peer.peer} peer={peer} here={value.mode === 'global' ? 'global' : 'this zone'} />
          ))}
        </ul>
      )}
      {asAdmin ? <RecentChanges /> : <p class="hint">Recent changes are shown to admins.</p>}
    </>
  );
}

async function loadOverview(): Promise<Overview> {
  const [{ peers }, { isGlobal }, { policies }] = await Promise.all([
    get<{ peers: readonly SyncPeer[] }>('/_sync'),
    loadMode(),
    get<{ policies: { total: number } }>('/global-insight'),
  ]);
  return { peers, mode: isGlobal ? 'global' : 'zone', policies: policies.total };
}

function Sentence({ peers, mode, policies }: Overview) {
  return (
    <h1 class="sentence" aria-live="polite">
      {sentencesOf(peers, mode, policies).map((parts, index) => (
        <span key={index}>
          {index > 0 && '; '}
          {parts.map(({ text, to }) => (to ? <a href={link(to)}>{text}</a> : text))}
        </span>
      ))}
    </h1>
  );
}
