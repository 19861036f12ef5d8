import { stringify } from 'yaml';
import { get } from '../api.ts';
import { link } from '../location.ts';
import { Problem } from '../problem.tsx';
import { displayName } from '../resources/kri.ts';
import { ResourceLink } from '../resources/resource-link.tsx';
import { useLoaded } from '../use-loaded.ts';

interface RuleInForce {
  readonly kri: string;
  readonly conf: unknown;
  readonly matches?: readonly unknown[];
  readonly targetRef?: unknown;
}

interface KindInForce {
  readonly kind: string;
  readonly origins: readonly { readonly kri: string }[];
  readonly rules: readonly RuleInForce[];
}

interface RulesAtInbound {
  readonly kri: string;
  readonly section: string;
  readonly protocol: string;
  readonly policies: readonly KindInForce[];
  readonly warnings: readonly string[];
}

/** What the policies come to on each inbound of a proxy, by kind, with the policies that it is from. */
export function ProxyRules({ url, mesh, name }: { url: string; mesh: string; name: string }) {
  const { value, problem } = useLoaded(`rules ${url}`, () => loadRules(url));
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Its rules</h2>
      <Problem text={problem} />
      {value?.length === 0 && <p class="hint">It listens on no port.</p>}
      {value?.map(({ kri, section, protocol, policies, warnings }) => (
        <div class="inbound" key={kri}>
          <h3>
            {section} <span class="hint">{protocol}</span> <a href={link(['matrix'], { mesh, to: name })}>Who may call {name}</a>
          </h3>
          {policies.length === 0 && <p class="hint">No policy selects it.</p>}
          {policies.map((one) => (
            <Kind key={one.kind} inForce={one} />
          ))}
          {warnings.length > 0 && (
            <ul class="warnings">
              {warnings.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}

function Kind({ inForce: { kind, origins, rules } }: { inForce: KindInForce }) {
  return (
    <div class="in-force">
      <p>
        {kind}, from{' '}
        {origins.map(({ kri }, index) => (
          <span key={kri}>
            {index > 0 && ', '}
            <ResourceLink kri={kri} name={displayName(kri)} />
          </span>
        ))}
      </p>
      <details>
        <summary>
          {rules.length === 1 ? '1 rule' : `${rules.length} rules`} of {kind}
        </summary>
        <pre tabIndex={0}>{stringify(rules.map(({ kri, ...rule }) => ({ ...rule, from: displayName(kri) })))}</pre>
      </details>
    </div>
  );
}

async function loadRules(url: string): Promise<RulesAtInbound[]> {
  const { inbounds } = await get<{ inbounds: readonly { kri: string; protocol: string }[] }>(`${url}/_layout`);
  const distinct = [...new Map(inbounds.map((one) => [one.kri, one])).values()];
  return Promise.all(
    distinct.map(async ({ kri, protocol }) => {
      const found = await get<{ policies: readonly KindInForce[]; warnings: readonly string[] }>(
        `${url}/_inbounds/${encodeURIComponent(kri)}/_policies`,
      );
      return { kri, protocol, section: kri.split('_').slice(6).join('_'), ...found };
    }),
  );
}
