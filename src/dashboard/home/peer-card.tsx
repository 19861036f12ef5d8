import { link } from '../location.ts';
import { ResourceLink } from '../resources/resource-link.tsx';
import type { SyncPeer, RefusedItem } from './peer.ts';
import { troublesOf } from './sentence.ts';

/** Refused resources that a card lists among others. */
const SHOWN = 5;

/** One peer: whether it is in step, what is wrong, what was refused. */
export function PeerCard({ peer, here, most = SHOWN }: { peer: SyncPeer; here: string; most?: number }) {
  const troubles = troublesOf(peer, here);
  const state = !peer.online ? 'offline' : troubles.length > 0 ? 'troubled' : 'good';
  return (
    <li class={`card ${state}`} data-peer={peer.peer}>
      <h2>
        <span class="dot" aria-hidden="true" />
        <a href={link(['peer', peer.peer])}>{peer.peer}</a>
      </h2>
      <p>{troubles.length === 0 ? 'in step' : troubles.join('; ')}</p>
      <p class="hint">{peer.about ? `${peer.about.environment} · version ${peer.about.version}` : peer.online ? 'online' : 'offline'}</p>
      <Refusals title={`Refused by ${peer.peer}`} items={peer.reported.first} total={peer.reported.total} most={most} isHere />
      <Refusals title={`Refused by ${here}`} items={peer.refused} total={peer.refused.length} most={most} isHere={false} />
    </li>
  );
}

interface RefusalList {
  readonly title: string;
  readonly items: readonly RefusedItem[];
  readonly total: number;
  readonly most: number;
  /** Whether this side has the resources, and so a page of each. */
  readonly isHere: boolean;
}

function Refusals({ title, items, total, most, isHere }: RefusalList) {
  if (total === 0) return null;
  const shown = items.slice(0, most);
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {shown.map((item) => (
          <li key={item.kri}>
            {item.type} <ResourceLink kri={isHere ? item.kri : ''} name={item.name} />: {item.reason}
          </li>
        ))}
        {total > shown.length && <li>and {total - shown.length} more</li>}
      </ul>
    </>
  );
}
