import { asArray, asObject, asText } from '../../naming/json.ts';
import { formatKri } from '../../resource/key.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { type HttpRouteMatch, readHttpMatch } from '../../resource/route-match.ts';
import { canonical } from '../match/merge-confs.ts';
import type { MeshIndex } from '../match/mesh-index.ts';
import { readPolicies } from '../match/read-policies.ts';
import type { Inbound, Proxy } from '../match/read-proxy.ts';
import { rulesOf } from '../match/route-selection.ts';
import { matchInbound } from '../match/select-policies.ts';
import type { BackendEndpoint, BackendEndpoints } from './backend-endpoints.ts';
import { covers, narrower } from './hostnames.ts';
import type { GatewayListener } from './read-listener.ts';

/** Where requests of one hostname go. */
export interface RoutedHost {
  readonly hostname: string;
  /** The first whose match a request meets counts. */
  readonly rules: readonly RoutedRule[];
}

export interface RoutedRule {
  readonly match: HttpRouteMatch;
  /** By weight; none: it can't be routed. */
  readonly backends: readonly RoutedBackend[];
}

export interface RoutedBackend {
  /** Of its own in the zone. */
  readonly name: string;
  readonly weight: number;
  readonly endpoints: readonly BackendEndpoint[];
}

/** Where the requests of a listener go. */
export interface ListenerRoutes {
  readonly hosts: readonly RoutedHost[];
  /** What of the routes is not as it is written, and why. */
  readonly problems: readonly string[];
}

/** What the listeners of one port may have of rules, counted for each hostname. */
const MOST_ROUTES = 10_000;

interface WrittenRule extends RoutedRule {
  readonly hostnames: readonly string[];
}

/**
 * The MeshHTTPRoutes on a MeshGateway, at one of its listeners (docs/gateways.md#where-requests-go): those whose
 * targetRef is that MeshGateway, with their items to `Mesh`. Of two rules with one match, the one of the policy that is
 * later in order counts. The most specific match is asked first: an exact path, then the longest prefix, then a method,
 * then the number of headers and query parameters.
 */
export function listenerRoutes(
  proxy: Proxy,
  inbound: Inbound,
  { hostname }: GatewayListener,
  mesh: MeshIndex,
  endpoints: BackendEndpoints,
): ListenerRoutes {
  const problems: string[] = [];
  const written = routesOn(proxy, inbound, mesh).flatMap((route) => writtenRules(route, hostname, endpoints, problems));
  const hostnames = [...new Set([hostname, ...written.flatMap((rule) => rule.hostnames)])];
  const all = hostnames.map((host) => ({ hostname: host, rules: rulesFor(host, written) }));
  const count = all.reduce((sum, { rules }) => sum + rules.length, 0) * (inbound.sharing ?? 1);
  if (count <= MOST_ROUTES) return { hosts: all, problems };
  return { hosts: [{ hostname, rules: [] }], problems: [...problems, `its port has more than ${MOST_ROUTES} routes: it routes nothing`] };
}

function routesOn(proxy: Proxy, inbound: Inbound, mesh: MeshIndex): Resource[] {
  const policies = readPolicies(mesh.ofType('MeshHTTPRoute')).filter(({ explicit, shadow }) => explicit?.kind === 'MeshGateway' && !shadow);
  return matchInbound(policies, proxy, inbound, mesh).flatMap(({ policy, via }) => (via === undefined ? [policy.resource] : []));
}

function writtenRules(route: Resource, listening: string, endpoints: BackendEndpoints, problems: string[]): WrittenRule[] {
  const name = formatKri(route.key);
  return asArray(route.spec.to).flatMap((value) => {
    const item = asObject(value);
    if (asObject(item?.targetRef)?.kind !== 'Mesh') {
      problems.push(`${name}: on a MeshGateway an item of \`to\` is for \`kind: Mesh\`: the others are left out`);
      return [];
    }
    const hostnames = hostsOf(item, listening);
    if (hostnames.length === 0) return [];
    return rulesOf(item).flatMap((rule) => {
      const conf = asObject(rule.default) ?? {};
      const backends = backendsOf(conf, route, endpoints, (text) => problems.push(`${name}: ${text}`));
      return asArray(rule.matches).flatMap((match) => {
        const read = readHttpMatch(match);
        if (!read || !isPlain(read)) problems.push(`${name}: a match by a regular expression is left out: requests go on to other rules`);
        return read && isPlain(read) ? [{ hostnames, match: read, backends }] : [];
      });
    });
  });
}

/** The item's hostnames as far as the listener has them. */
function hostsOf(item: JsonObject | undefined, listening: string): string[] {
  const said = asArray(item?.hostnames).flatMap((host) => asText(host)?.toLowerCase() ?? []);
  if (said.length === 0) return [listening];
  return said.flatMap((host) => narrower(host, listening) ?? []);
}

/** Envoy's own expressions are not Kuma's, and one that it can't read would hold up all routes of the port. */
function isPlain({ path, headers = [], queryParams = [] }: HttpRouteMatch): boolean {
  return [path, ...headers, ...queryParams].every((one) => one?.type !== 'RegularExpression');
}

function backendsOf(conf: JsonObject, route: Resource, endpoints: BackendEndpoints, tell: (problem: string) => void): RoutedBackend[] {
  if (asArray(conf.filters).length > 0) {
    tell('filters are not applied: what a rule with some is for is answered with 503');
    return [];
  }
  const refs = asArray(conf.backendRefs);
  if (refs.length === 0) tell('a rule names no backend: what it is for is answered with 503');
  return refs.map((ref) => {
    const found = endpoints.of(ref, route);
    const { weight, ...backend } = asObject(ref) ?? {};
    const name = `${canonical(backend)} of ${route.namespace}`;
    if (found.length === 0)
      tell(`of the backend ${backendName(ref)} no address is known in this zone: requests for it are answered with 503`);
    return { name, weight: typeof weight === 'number' ? weight : 1, endpoints: found };
  });
}

function backendName(ref: JsonValue): string {
  const { kind, name, labels } = asObject(ref) ?? {};
  return `${asText(kind) ?? ''} ${asText(name) ?? canonical(labels)}`;
}

function rulesFor(host: string, written: readonly WrittenRule[]): RoutedRule[] {
  const rules = new Map<string, RoutedRule>();
  for (const { hostnames, match, backends } of written) {
    if (hostnames.some((wide) => covers(wide, host))) rules.set(canonical(match as JsonObject), { match, backends });
  }
  return [...rules.values()].sort((a, b) => compareRanks(rankOf(b.match), rankOf(a.match)));
}

/** The greater one is more specific. */
function rankOf({ path, method, headers = [], queryParams = [] }: HttpRouteMatch): readonly number[] {
  return [path?.type === 'Exact' ? 1 : 0, path?.value.length ?? 0, method === undefined ? 0 : 1, headers.length, queryParams.length];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
