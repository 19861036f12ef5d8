import { MeridianError } from '../errors.ts';

/** What a targetRef policy of a kind may contain. */
export interface PolicyShape {
  readonly to: boolean;
  readonly from: boolean;
  readonly rules: boolean;
  /** One `default` for the whole proxy, no list. */
  readonly single: boolean;
}

/** What a kind is to the others. What follows from that for each kind of a nature stands in one table, NATURES. */
export type Nature = 'mesh' | 'zone' | 'proxy' | 'service' | 'gateway' | 'route' | 'policy' | 'access' | 'insight' | 'other';

/** What is true of all kinds of a nature. */
interface NatureFacts {
  /** Its place when many are applied: what others depend on comes first. */
  readonly applied: number;
  /** Whether resources of the kind may change what proxies decide. */
  readonly decides: boolean;
  /**
   * Whether it can be selected by top-level targetRefs, or stands behind what is. Routes and policies are read as
   * policies.
   */
  readonly target: boolean;
  /** Whether items of `to` and backendRefs may name it: the names are written anew in copies. */
  readonly named: boolean;
}

const NATURES: Readonly<Record<Nature, NatureFacts>> = {
  mesh: { applied: 0, decides: true, target: false, named: false },
  zone: { applied: 1, decides: true, target: false, named: false },
  proxy: { applied: 2, decides: true, target: true, named: false },
  service: { applied: 2, decides: true, target: true, named: true },
  gateway: { applied: 2, decides: true, target: true, named: false },
  insight: { applied: 2, decides: false, target: false, named: false },
  other: { applied: 2, decides: false, target: false, named: false },
  route: { applied: 3, decides: true, target: false, named: true },
  policy: { applied: 4, decides: false, target: false, named: false },
  access: { applied: 5, decides: true, target: false, named: false },
};

/** Everything that Meridian knows about a kind without looking at a resource of it. */
export interface Kind<Type extends string = string> extends NatureFacts {
  readonly type: Type;
  /** An `insight` is written by control planes alone. */
  readonly nature: Nature;
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
  /** Whether what can't be read of it may hold a deny: it is then taken as one. */
  readonly mayDeny: boolean;
  /** Of a policy: it configures nothing but Envoy clusters. */
  readonly clusters: boolean;
  /** Kuma reads a `from` for everybody as `rules`, and the reverse (its `_resources`, `isFromAsRules`). */
  readonly fromAsRules: boolean;
  /** Its `rules` say more than `from` can, for they name SPIFFE IDs. */
  readonly byIdentity: boolean;
  /** Lists that grow where policies are merged, instead of being replaced. */
  readonly concat: readonly string[];
}

type KindTraits = Partial<Omit<Kind, 'type' | 'short' | 'path' | 'writtenBy' | 'sync' | keyof NatureFacts>> & { readonly decides?: true };

/** Directions as the reference table writes them: d(own), u(p), a(cross). */
function kind<Type extends string>(
  type: Type,
  short: string,
  path: string,
  directions: string,
  writers: string,
  traits: KindTraits = {},
): Kind<Type> {
  const nature = traits.nature ?? 'other';
  return {
    ...NATURES[nature],
    ...(traits.decides ? { decides: true } : {}),
    type,
    nature,
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
    mayDeny: traits.mayDeny ?? false,
    clusters: traits.clusters ?? false,
    fromAsRules: traits.fromAsRules ?? false,
    byIdentity: traits.byIdentity ?? false,
    concat: traits.concat ?? [],
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

function policy<Type extends string>(type: Type, short: string, path: string, lists: string, traits: KindTraits = {}): Kind<Type> {
  const shape: PolicyShape = {
    to: lists.includes('to'),
    from: lists.includes('from'),
    rules: lists.includes('rules'),
    single: lists.includes('single'),
  };
  return kind(type, short, path, 'dua', 'gz', { nature: 'policy', policy: shape, ...traits });
}

const CLUSTERLINK = 'clusterlink.net/v1alpha1';

const ALL = [
  kind('Dataplane', 'dp', 'dataplanes', 'u', 'z', { nature: 'proxy', body: 'inline' }),
  kind('DataplaneInsight', '', 'dataplane-insights', 'u', 'z', { nature: 'insight', body: 'inline' }),
  kind('HostnameGenerator', 'hg', 'hostnamegenerators', 'du', 'gz', { scope: 'Global', systemOnly: true }),
  kind('Mesh', 'm', 'meshes', 'd', 'g', { nature: 'mesh', scope: 'Global', namespaced: false, hashed: false, body: 'inline' }),
  policy('MeshAccessLog', 'mal', 'meshaccesslogs', 'to from rules', { fromAsRules: true }),
  policy('MeshCircuitBreaker', 'mcb', 'meshcircuitbreakers', 'to from rules', { fromAsRules: true, clusters: true }),
  kind('MeshExternalService', 'extsvc', 'meshexternalservices', 'du', 'gz', { nature: 'service', systemOnly: true }),
  policy('MeshFaultInjection', 'mfi', 'meshfaultinjections', 'to from rules', { byIdentity: true }),
  kind('MeshGateway', 'mgw', 'meshgateways', 'du', 'gz', { nature: 'gateway', namespaced: false, body: 'inline' }),
  policy('MeshHTTPRoute', 'mhttpr', 'meshhttproutes', 'to', { nature: 'route' }),
  policy('MeshHealthCheck', 'mhc', 'meshhealthchecks', 'to', { clusters: true }),
  kind('MeshIdentity', 'mid', 'meshidentities', 'du', 'gz', { systemOnly: true }),
  policy('MeshLoadBalancingStrategy', 'mlbs', 'meshloadbalancingstrategies', 'to'),
  policy('MeshMetric', 'mm', 'meshmetrics', 'single'),
  kind('MeshMultiZoneService', 'mzsvc', 'meshmultizoneservices', 'd', 'g', { nature: 'service', systemOnly: true }),
  policy('MeshPassthrough', 'mp', 'meshpassthroughs', 'single'),
  policy('MeshProxyPatch', 'mpp', 'meshproxypatches', 'single'),
  policy('MeshRateLimit', 'mrl', 'meshratelimits', 'to from rules', { fromAsRules: true }),
  policy('MeshRetry', 'mr', 'meshretries', 'to'),
  kind('MeshService', 'msvc', 'meshservices', 'ua', 'z', { nature: 'service' }),
  policy('MeshTCPRoute', 'mtcpr', 'meshtcproutes', 'to', { nature: 'route' }),
  policy('MeshTLS', 'mtls', 'meshtlses', 'from rules', { decides: true, fromAsRules: true }),
  policy('MeshTimeout', 'mt', 'meshtimeouts', 'to from rules', { fromAsRules: true }),
  policy('MeshTrace', 'mtr', 'meshtraces', 'single'),
  // `single` is its shape with `default` at the top (docs/design/sources.md#spiffe), which Kuma itself does not have.
  policy('MeshTrafficPermission', 'mtp', 'meshtrafficpermissions', 'from rules single', {
    decides: true,
    mayDeny: true,
    byIdentity: true,
    concat: ['deny', 'allow', 'allowWithShadowDeny'],
  }),
  kind('MeshTrust', 'mtrust', 'meshtrusts', 'du', 'gz', { systemOnly: true, decides: true }),
  kind('Workload', 'wl', 'workloads', 'u', 'z'),
  kind('Zone', 'z', 'zones', 'd', 'g', { nature: 'zone', scope: 'Global', namespaced: false, hashed: false, body: 'inline' }),
  kind('ZoneInsight', '', 'zone-insights', '', 'gz', { nature: 'insight', scope: 'Global', namespaced: false, body: 'inline' }),
  kind('AccessPolicy', 'ap', 'accesspolicies', 'du', 'gz', { nature: 'access', mayDeny: true, apiVersion: CLUSTERLINK }),
  kind('PrivilegedAccessPolicy', 'pap', 'privilegedaccesspolicies', 'du', 'gz', {
    nature: 'access',
    mayDeny: true,
    namespaced: false,
    apiVersion: CLUSTERLINK,
  }),
  kind('LoadBalancingPolicy', 'lbp', 'loadbalancingpolicies', 'du', 'gz', { nature: 'access', apiVersion: CLUSTERLINK }),
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

/** Whether resources of a kind are routes. */
export function isRoute(type: string): boolean {
  return findKind(type)?.nature === 'route';
}

/** Whether control planes write a kind themselves, and nobody else. */
export function isInsight({ nature }: Kind): boolean {
  return nature === 'insight';
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
