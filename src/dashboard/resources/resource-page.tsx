import { stringify } from 'yaml';
import { get } from '../api.ts';
import { lockOf } from '../editor/lock.ts';
import { link } from '../location.ts';
import { loadMode } from '../mode.ts';
import { Effect } from '../policy/effect.tsx';
import { History } from '../policy/history.tsx';
import { SelectedProxies } from '../policy/selected-proxies.tsx';
import { Way } from '../policy/way.tsx';
import { Problem } from '../problem.tsx';
import { ProxyRules } from '../proxy/proxy-rules.tsx';
import { ProxyStatusSection } from '../proxy/proxy-status.tsx';
import { useLoaded } from '../use-loaded.ts';
import { kindNamed, urlOf } from './kinds.ts';
import { displayName, zoneOf } from './kri.ts';

interface ShownResource {
  readonly kri: string;
  readonly type: string;
  readonly mesh?: string;
  readonly name: string;
  readonly modificationTime: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** One resource: where it stands, what it does, what was done to it, what it says. Policies and proxies have more. */
export function ResourcePage({ kri, role }: { kri: string; role: string }) {
  const { value, problem } = useLoaded(`resource ${kri}`, async () => {
    const resource = await get<ShownResource>(`/_kri/${encodeURIComponent(kri)}`);
    return { resource, kind: await kindNamed(resource.type), here: await loadMode() };
  });
  if (!value) return problem === '' ? null : <NotShown kri={kri} problem={problem} />;
  const { resource, kind, here } = value;
  const { name, mesh = '', modificationTime } = resource;
  const url = urlOf(kind, mesh, name);
  return (
    <>
      <p class="hint">
        <a href={link(['kinds', kind.path])}>{kind.name}</a>
      </p>
      <h1>{displayName(resource.kri)}</h1>
      {displayName(resource.kri) !== name && (
        <p class="hint">
          here it is called <code>{name}</code>
        </p>
      )}
      <Problem text={problem} />
      {kind.policy && <Enforcement url={url} />}
      {kind.name === 'Dataplane' && <ProxyStatusSection url={url} zone={zoneOf(resource.kri)} />}
      <Way type={kind.name} mesh={mesh} name={name} kri={resource.kri} written={modificationTime} isEnforced={kind.policy !== undefined} />
      {kind.policy && <SelectedProxies url={url} mesh={mesh} />}
      {kind.name === 'MeshTrafficPermission' && zoneOf(resource.kri) === here.zone && <Effect key={resource.kri} policy={resource} />}
      {kind.name === 'Dataplane' && <ProxyRules url={url} mesh={mesh} name={displayName(resource.kri)} />}
      {role === 'admin' && <History kri={resource.kri} />}
      <section aria-labelledby="yaml">
        <h2 id="yaml">YAML</h2>
        {zoneOf(resource.kri) === here.zone && lockOf(role, here, kind) === '' && (
          <p>
            <a href={link(['edit', resource.kri])}>Edit</a>
          </p>
        )}
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

function Enforcement({ url }: { url: string }) {
  const { value, problem } = useLoaded(`enforcement ${url}`, () =>
    get<{ enforced: 'yes' | 'partly' | 'no'; warnings: readonly string[] }>(`${url}/_enforcement`),
  );
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
