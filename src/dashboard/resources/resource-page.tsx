import { stringify } from 'yaml';
import { get, type List } from '../api.ts';
import { link } from '../location.ts';
import { Problem } from '../problem.tsx';
import { useLoaded } from '../use-loaded.ts';
import { type ServedKind, kindNamed, urlOf } from './kinds.ts';
import { ResourceLink } from './resource-link.tsx';
import { Standing } from './standing.tsx';

interface ShownResource {
  readonly kri: string;
  readonly type: string;
  readonly mesh?: string;
  readonly name: string;
}

/** Proxies that the page lists. */
const SHOWN = 50;

/** One resource: what it says, where it stands, which proxies it selects, what to know of it. */
export function ResourcePage({ kri }: { kri: string }) {
  const { value, problem } = useLoaded(`resource ${kri}`, async () => {
    const resource = await get<ShownResource>(`/_kri/${encodeURIComponent(kri)}`);
    return { resource, kind: await kindNamed(resource.type) };
  });
  if (!value) return problem === '' ? null : <NotShown kri={kri} problem={problem} />;
  const { resource, kind } = value;
  const { name, mesh = '' } = resource;
  return (
    <>
      <p class="hint">
        <a href={link(['kinds', kind.path])}>{kind.name}</a>
      </p>
      <h1>{name}</h1>
      <Problem text={problem} />
      {kind.policy && <Enforcement kind={kind} mesh={mesh} name={name} />}
      <Standing type={kind.name} mesh={mesh} name={name} kri={resource.kri} />
      {kind.policy && <Proxies kind={kind} mesh={mesh} name={name} />}
      <section aria-labelledby="yaml">
        <h2 id="yaml">YAML</h2>
        <pre tabIndex={0}>{stringify(resource)}</pre>
      </section>
    </>
  );
}

function NotShown({ kri, problem }: { kri: string; problem: string }) {
  return (
    <>
      <h1>{kri}</h1>
      <Problem text={problem} />
    </>
  );
}

interface OfPolicy {
  readonly kind: ServedKind;
  readonly mesh: string;
  readonly name: string;
}

function Enforcement({ kind, mesh, name }: OfPolicy) {
  const url = `${urlOf(kind, mesh, name)}/_enforcement`;
  const { value, problem } = useLoaded(url, () => get<{ enforced: 'yes' | 'partly' | 'no'; warnings: readonly string[] }>(url));
  return (
    <section aria-labelledby="enforced">
      <h2 id="enforced">Enforced by proxies: {value?.enforced ?? (problem === '' ? '' : 'not known')}</h2>
      <Problem text={problem} />
      {value && value.warnings.length > 0 && (
        <ul class="warnings">
          {value.warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Proxies({ kind, mesh, name }: OfPolicy) {
  const url = `${urlOf(kind, mesh, name)}/_resources/dataplanes?size=${SHOWN}`;
  const { value, problem } = useLoaded(url, () => get<List<{ kri: string; name: string }>>(url));
  return (
    <section aria-labelledby="proxies">
      <h2 id="proxies">Selects {value?.total === 1 ? '1 proxy' : `${value?.total ?? ''} proxies`}</h2>
      <Problem text={problem} />
      {value && value.total > 0 && (
        <ul>
          {value.items.map((proxy) => (
            <li key={proxy.kri}>
              <ResourceLink kri={proxy.kri} name={proxy.name} />
            </li>
          ))}
          {value.total > value.items.length && <li>and {value.total - value.items.length} more</li>}
        </ul>
      )}
    </section>
  );
}
