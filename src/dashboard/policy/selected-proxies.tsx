import { get, type List } from '../api.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Problem } from '../problem.tsx';
import { loadProxy, stateText } from '../proxy/proxy-state.ts';
import { displayName, zoneOf } from '../resources/kri.ts';
import { ResourceLink } from '../resources/resource-link.tsx';
import { Table } from '../table.tsx';
import { useLoaded } from '../use-loaded.ts';

/** Proxies of which it is asked how they stand. */
const SHOWN = 12;

interface SelectedProxy {
  readonly kri: string;
  readonly name: string;
}

/** The proxies that a policy selects, and how each stands. `url`: the policy's. */
export function SelectedProxies({ url, mesh }: { url: string; mesh: string }) {
  const { value, problem } = useLoaded(`selected ${url}`, async () => {
    const [{ total, items }, { isGlobal }] = await Promise.all([
      get<List<SelectedProxy>>(`${url}/_resources/dataplanes?size=${SHOWN}`),
      loadMode(),
    ]);
    const base = `/meshes/${encodeURIComponent(mesh)}/dataplanes`;
    const states = await Promise.all(items.map(({ name }) => loadProxy(`${base}/${encodeURIComponent(name)}`, isGlobal)));
    return {
      total,
      items: items.map((one, index) => ({ ...one, ...stateText(states[index] ?? { stream: undefined, detail: undefined, told: [] }) })),
    };
  });
  return (
    <section aria-labelledby="proxies">
      <h2 id="proxies">Selects {value?.total === 1 ? '1 proxy' : `${value?.total.toLocaleString('en') ?? '…'} proxies`}</h2>
      <Problem text={problem} />
      {value && value.total > 0 && (
        <Table headings={['Proxy', 'Zone', 'Stands', 'Who may call it']}>
          {value.items.map(({ kri, text, health }) => (
            <tr key={kri} class={health}>
              <td>
                <ResourceLink kri={kri} name={displayName(kri)} />
              </td>
              <td>{zoneOf(kri)}</td>
              <td>
                <span class="dot" aria-hidden="true" />
                {text}
              </td>
              <td>
                <a href={link(['matrix'], { mesh, to: displayName(kri) })}>callers of {displayName(kri)}</a>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {value && value.total > value.items.length && <p class="hint">and {(value.total - value.items.length).toLocaleString('en')} more</p>}
    </section>
  );
}
