import { MeridianError } from '../errors.ts';

/** What a targetRef policy of a kind may contain. */
export interface PolicyShape {
  readonly to: boolean;
  readonly from: boolean;
  readonly rules: boolean;
  /** One `default` for the whole proxy, no list. */
  readonly single: boolean;
}

/** Everything that Meridian knows about a kind without looking at a resource of it. */
export interface Kind<Type extends string = string> {
  readonly type: Type;
  /** The short name of the KRI; '' for kinds that have none (insights). */
  readonly short: string;
  /** The REST collection, `/meshes/{mesh}/<path>` or `/<path>`. */
  readonly path: string;
  readonly plural: string;
  readonly scope: 'Mesh' | 'Global';
  /** In a kubernetes environment: lives in a namespace. */
  readonly namespaced: boolean;
  /** Namespaced, but only ever in the system namespace. */
  readonly systemOnly: boolean;
  /** Who may write it: global, a zone, or both. */
  readonly writtenBy: { readonly global: boolean; readonly zone: boolean };
  /** `down`: global to zones. `up`: zone to global. `across`: on to the other zones. */
  readonly sync: { readonly down: boolean; readonly up: boolean; readonly across: boolean };
  /** Whether a copy is renamed to `<display name>-<hash>` (docs/design/names.md#the-name-of-a-copy). */
  readonly hashed: boolean;
  /** `spec`: the body is under `spec` in both formats. `inline`: in Universal YAML its fields stand at the top. */
  readonly body: 'spec' | 'inline';
  readonly apiVersion: string;
  readonly policy: PolicyShape | undefined;
}

type Traits = Partial<Pick<Kind, 'plural' | 'scope' | 'namespaced' | 'systemOnly' | 'hashed' | 'body' | 'apiVersion' | 'policy'>>;

/** Directions as the reference table writes them: d(own), u(p), a(cross). */
function kind<Type extends string>(
  type: Type,
  short: string,
  path: string,
  directions: string,
  writers: string,
  traits: Traits = {},
): Kind<Type> {
  return {
    type,
    short,
    path,
    plural: traits.plural ?? pluralOf(type),
    scope: traits.scope ?? 'Mesh',
    namespaced: traits.namespaced ?? true,
    systemOnly: traits.systemOnly ?? false,
    writtenBy: { global: writers.includes('g'), zone: writers.includes('z') },
    sync: { down: directions.includes('d'), up: directions.includes('u'), across: directions.includes('a') },
    hashed: traits.hashed ?? true,
    body: traits.body ?? 'spec',
    apiVersion: traits.apiVersion ?? 'kuma.io/v1alpha1',
    policy: traits.policy,
  };
}

/** A kind's name for people: `MeshHTTPRoute` -> `Mesh HTTP Route`. */
export function singularOf(type: string): string {
  return type.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/(HTTP|TCP|TLS)(?=[A-Z])/g, '$1 ');
}

function pluralOf(type: string): string {
  const spaced = singularOf(type);
  if (/[^aeiou]y$/.test(spaced)) return `${spaced.slice(0, -1)}ies`;
  return /(s|sh|ch)$/i.test(spaced) ? `${spaced}es` : `${spaced}s`;
}

function policy<Type extends string>(type: Type, short: string, path: string, lists: string): Kind<Type> {
  const shape: PolicyShape = {
    to: lists.includes('to'),
    from: lists.includes('from'),
    rules: lists.includes('rules'),
    single: lists.includes('single'),
  };
  return kind(type, short, path, 'dua', 'gz', { policy: shape });
}

const CLUSTERLINK = 'clusterlink.net/v1alpha1';

const ALL = [
  kind('Dataplane', 'dp', 'dataplanes', 'u', 'z', { body: 'inline' }),
  kind('DataplaneInsight', '', 'dataplane-insights', 'u', 'z', { body: 'inline' }),
  kind('HostnameGenerator', 'hg', 'hostnamegenerators', 'du', 'gz', { scope: 'Global', systemOnly: true }),
  kind('Mesh', 'm', 'meshes', 'd', 'g', { scope: 'Global', namespaced: false, hashed: false, body: 'inline' }),
  policy('MeshAccessLog', 'mal', 'meshaccesslogs', 'to from rules'),
  policy('MeshCircuitBreaker', 'mcb', 'meshcircuitbreakers', 'to from rules'),
  kind('MeshExternalService', 'extsvc', 'meshexternalservices', 'du', 'gz', { systemOnly: true }),
  policy('MeshFaultInjection', 'mfi', 'meshfaultinjections', 'to from rules'),
  kind('MeshGateway', 'mgw', 'meshgateways', 'du', 'gz', { namespaced: false, body: 'inline' }),
  policy('MeshHTTPRoute', 'mhttpr', 'meshhttproutes', 'to'),
  policy('MeshHealthCheck', 'mhc', 'meshhealthchecks', 'to'),
  kind('MeshIdentity', 'mid', 'meshidentities', 'du', 'gz', { systemOnly: true }),
  policy('MeshLoadBalancingStrategy', 'mlbs', 'meshloadbalancingstrategies', 'to'),
  policy('MeshMetric', 'mm', 'meshmetrics', 'single'),
  kind('MeshMultiZoneService', 'mzsvc', 'meshmultizoneservices', 'd', 'g', { systemOnly: true }),
  policy('MeshPassthrough', 'mp', 'meshpassthroughs', 'single'),
  policy('MeshProxyPatch', 'mpp', 'meshproxypatches', 'single'),
  policy('MeshRateLimit', 'mrl', 'meshratelimits', 'to from rules'),
  policy('MeshRetry', 'mr', 'meshretries', 'to'),
  kind('MeshService', 'msvc', 'meshservices', 'ua', 'z'),
  policy('MeshTCPRoute', 'mtcpr', 'meshtcproutes', 'to'),
  policy('MeshTLS', 'mtls', 'meshtlses', 'from rules'),
  policy('MeshTimeout', 'mt', 'meshtimeouts', 'to from rules'),
  policy('MeshTrace', 'mtr', 'meshtraces', 'single'),
  // `single` is its shape with `default` at the top (docs/design/sources.md#spiffe), which Kuma itself does not have.
  policy('MeshTrafficPermission', 'mtp', 'meshtrafficpermissions', 'from rules single'),
  kind('MeshTrust', 'mtrust', 'meshtrusts', 'du', 'gz', { systemOnly: true }),
  kind('Workload', 'wl', 'workloads', 'u', 'z'),
  kind('Zone', 'z', 'zones', '', 'g', { scope: 'Global', namespaced: false, hashed: false, body: 'inline' }),
  kind('ZoneInsight', '', 'zone-insights', '', 'gz', { scope: 'Global', namespaced: false, body: 'inline' }),
  kind('AccessPolicy', 'ap', 'accesspolicies', 'du', 'gz', { apiVersion: CLUSTERLINK }),
  kind('PrivilegedAccessPolicy', 'pap', 'privilegedaccesspolicies', 'du', 'gz', { namespaced: false, apiVersion: CLUSTERLINK }),
  kind('LoadBalancingPolicy', 'lbp', 'loadbalancingpolicies', 'du', 'gz', { apiVersion: CLUSTERLINK }),
];

/**
 * The registry: Kuma 2.14's kinds (docs/design/sources.md#real-systems) and ClusterLink's policies
 * (docs/design/attributes.md#kinds).
 */
export const KINDS: readonly Kind[] = ALL;

/** The names of all kinds: a table by them must have each. */
export type KindType = (typeof ALL)[number]['type'];

const byType = new Map(KINDS.map((k) => [k.type, k]));
const byShort = new Map(KINDS.filter((k) => k.short !== '').map((k) => [k.short, k]));
const byPath = new Map(KINDS.map((k) => [k.path, k]));

/** The kind named `type`, or undefined. */
export function findKind(type: string): Kind | undefined {
  return byType.get(type);
}

/** The kind named `type`. Throws `internal`: use it only where the type was checked before. */
export function kindOf(type: string): Kind {
  const found = byType.get(type);
  if (!found) throw new MeridianError('internal', `unknown kind ${type}`);
  return found;
}

/** The kind with this KRI short name (`mtp`), or undefined. */
export function kindByShort(short: string): Kind | undefined {
  return byShort.get(short);
}

/** The kind with this REST collection (`meshtrafficpermissions`), or undefined. */
export function kindByPath(path: string): Kind | undefined {
  return byPath.get(path);
}
