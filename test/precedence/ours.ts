import { fromRules } from '../../src/policy/inspect/inbound-rules.ts';
import { toRules } from '../../src/policy/inspect/outbound-rules.ts';
import { indexMesh } from '../../src/policy/match/mesh-index.ts';
import { readPolicies } from '../../src/policy/match/read-policies.ts';
import { type Proxy, readProxy } from '../../src/policy/match/read-proxy.ts';
import { matchInbound, matchProxy } from '../../src/policy/match/select-policies.ts';
import type { JsonValue } from '../../src/resource/resource.ts';
import { MESH, type PolicyPair } from './generate.ts';
import { toResource, worldOf } from './world.ts';

/**
 * For each proxy: what it was asked about, the names of the policies there, the weakest first, and what they come to.
 */
export type ProxyAnswers = Readonly<Record<string, readonly string[]>>;

/** `main: bbb aaa {"action":"Deny"}` */
export function line(about: string, names: readonly string[], conf: JsonValue | undefined): string {
  return `${about}: ${[...new Set(names)].join(' ')} ${JSON.stringify(conf)}`;
}

/** What Meridian makes of a pair. */
export function ourAnswer({ space, policies: given }: PolicyPair): ProxyAnswers {
  const resources = worldOf(MESH, space).map(toResource);
  const index = indexMesh(resources);
  const policies = readPolicies(given.map(toResource));
  const proxies = resources.filter(({ key }) => key.type === 'Dataplane').map((dataplane) => readProxy(dataplane, index));
  const answerOf = (proxy: Proxy): string[] => {
    const from = proxy.inbounds.flatMap((inbound) =>
      fromRules(
        'MeshTrafficPermission',
        matchInbound(
          policies.filter(({ resource }) => resource.key.type === 'MeshTrafficPermission'),
          proxy,
          inbound,
          index,
        ),
      ).map(({ conf, origins }) =>
        line(
          inbound.name ?? '',
          origins.map(({ name }) => name),
          conf,
        ),
      ),
    );
    const selecting = matchProxy(policies, proxy, index).filter(({ resource }) => resource.key.type === 'MeshTimeout');
    const to = toRules('MeshTimeout', selecting, index).map(({ resource, sectionName, conf, origins }) =>
      line(
        `${resource?.key.type ?? 'Mesh'} ${resource?.name ?? MESH}#${sectionName}`,
        origins.map(({ name }) => name),
        conf,
      ),
    );
    const selected = selecting.map(({ resource }) => `selected ${resource.name}`);
    return [...from, ...to, ...selected].sort();
  };
  return Object.fromEntries(proxies.map((proxy) => [proxy.dataplane.name, answerOf(proxy)]));
}
