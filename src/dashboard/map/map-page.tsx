import { useMemo } from 'preact/hooks';
import { get, getKept, path } from '../api.ts';
import type { SyncPeer } from '../home/peer.ts';
import { link } from '../location.ts';
import type { VerdictMatrix } from '../matrix/matrix.ts';
import { MeshSelect } from '../matrix/mesh-select.tsx';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { Drawing } from './drawing.tsx';
import { MapWords } from './map-words.tsx';
import { drawn, serviceMap } from './service-map.ts';
import { zoneState } from './zone-state.ts';

type MapQuery = Readonly<Record<string, string>>;

/** As many as one answer may have. */
const MOST = 1_000;

/** Zones with their services, and who may call whom; how each zone stands. A chosen service is in the address. */
export function MapPage({ query }: { query: MapQuery }) {
  const { mesh = 'default', name = '', service = '' } = query;
  const url = path(`/meshes/${encodeURIComponent(mesh)}/_matrix`, { by: 'spiffeId', callerSize: MOST, inboundSize: MOST });
  const { value: matrix, problem } = useLoaded(url, () => getKept<VerdictMatrix>(url));
  const { value: peers } = useLoaded('peers', async () => ({
    ...(await get<{ peers: readonly SyncPeer[] }>('/_sync')),
    here: await loadMode(),
  }));
  const all = useMemo(() => matrix && serviceMap(matrix), [matrix]);
  const map = useMemo(() => all && drawn(all, name), [all, name]);
  const go = (changed: MapQuery): void => location.replace(link(['map'], { ...query, ...changed }));
  const zones = [...new Set(map?.services.map(({ zone }) => zone))].map((zone) =>
    zoneState(
      zone,
      peers?.peers.find(({ peer }) => peer === zone),
      peers?.here.zone ?? '',
    ),
  );
  const more = (all?.services.length ?? 0) - (map?.services.length ?? 0);
  const isCut = matrix !== undefined && (matrix.callers.total > MOST || matrix.inbounds.total > MOST);
  return (
    <>
      <h1>Map</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <MeshSelect mesh={mesh} onMesh={(chosen) => go({ mesh: chosen, service: '' })} />
        <label>
          Zone or service contains{' '}
          <input type="search" defaultValue={name} onInput={(event) => go({ name: event.currentTarget.value, service: '' })} />
        </label>
      </form>
      <Problem text={problem} />
      <ul class="legend" aria-label="Arrows">
        <li>
          <span class="stroke full" aria-hidden="true" /> may call
        </li>
        <li>
          <span class="stroke part" aria-hidden="true" /> some of them, or some requests
        </li>
        <li>no arrow: may not</li>
      </ul>
      {map && map.services.length > 0 && <Drawing map={map} zones={zones} chosen={service} query={query} />}
      {map?.services.length === 0 && (
        <p class="hint">{name === '' ? 'No proxy of this mesh is of a service: there is nothing to draw.' : `No name contains ${name}.`}</p>
      )}
      {(more > 0 || isCut) && (
        <p role="note">
          {more > 0 ? `${more.toLocaleString('en')} more services` : 'More proxies than an answer has'} {more === 1 ? 'is' : 'are'} in the{' '}
          <a href={link(['matrix'], { mesh })}>matrix</a>.
        </p>
      )}
      {map && map.services.length > 0 && <MapWords map={map} chosen={service} mesh={mesh} />}
    </>
  );
}
