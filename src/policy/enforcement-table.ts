import { asObject, asArray, isAbsent } from '../naming/json.ts';
import { findKind, type Kind, type KindType, type Nature } from '../resource/kinds.ts';
import { LABEL, type Labels } from '../resource/labels.ts';
import type { JsonObject } from '../resource/resource.ts';
import { readable } from '../resource/readable-text.ts';
import { readListener } from './gateway/read-listener.ts';

/** Whether what is stored is in force at Envoys. */
export interface KindEnforcement {
  /** `partly`: but for what the reasons name. `yes`, too, for what only says where things are and forbids nothing. */
  readonly enforced: 'yes' | 'partly' | 'no';
  /** What is not enforced of it and why, for people: `a MeshTrust is kept and shown, and not enforced: ...`. */
  readonly reasons: readonly string[];
}

/** What is enforced of a kind, wherever a listener is served. */
type Rule =
  | { readonly enforced: 'yes' }
  /** A proxy: as far as its listeners are served. */
  | { readonly enforced: 'served' }
  /** A MeshGateway: as far as its listeners are served. */
  | { readonly enforced: 'listeners' }
  /** Decides at the listeners that its top-level targetRef selects, but for these fields. */
  | { readonly enforced: 'inbounds'; readonly ignored: (spec: JsonObject) => readonly string[] }
  /** A route: gateways alone route by it. */
  | { readonly enforced: 'route' }
  /** Only what `but` says of it counts. */
  | { readonly enforced: 'partly'; readonly but: string }
  | { readonly enforced: 'ignoring'; readonly ignored: (spec: JsonObject) => readonly string[] }
  | { readonly enforced: 'no'; readonly because: string };

const YES: Rule = { enforced: 'yes' };
/** Kuma's policies of traffic. */
const TRAFFIC: Rule = { enforced: 'no', because: 'matched, merged and shown, and not enforced: proxies enforce access rules alone' };
const ROUTE: Rule = { enforced: 'route' };
const UNROUTED =
  'matched, merged and shown, and not enforced: only gateways route, by those on a MeshGateway; permissions that target it are for what it names';
/** ClusterLink's (docs/design/attributes.md#in-envoy). */
const OWN_CALLERS: Rule = {
  enforced: 'partly',
  but: "enforced for callers of the service's own zone; those of other zones are denied without a token for each call (POST /access/connect)",
};

/** What is enforced of a kind that has no line in RULES: a new policy is not, until a line says so. */
const BY_NATURE: Readonly<Record<Nature, Rule>> = {
  mesh: { enforced: 'ignoring', ignored: (spec) => present(spec, MESH_IGNORED) },
  zone: YES,
  proxy: { enforced: 'served' },
  service: { enforced: 'no', because: 'kept and shown, and not enforced: no proxy sends requests to it' },
  gateway: { enforced: 'listeners' },
  route: ROUTE,
  policy: TRAFFIC,
  access: OWN_CALLERS,
  insight: YES,
  other: { enforced: 'no', because: 'kept and shown, and not enforced: no proxy asks it' },
};

/** What is enforced of kinds that differ from others of their nature. A kind that is put in force gets a line here. */
const RULES: Readonly<Partial<Record<KindType, Rule>>> = {
  LoadBalancingPolicy: {
    enforced: 'no',
    because: 'decided by `meridianctl access`, and not enforced: no proxy picks a site by it',
  },
  HostnameGenerator: { enforced: 'no', because: 'kept and shown, and not enforced: no host names are made' },
  MeshIdentity: { enforced: 'no', because: 'kept and shown, and not enforced: proxies bring certificates of their own' },
  MeshMultiZoneService: {
    enforced: 'partly',
    but: 'matched and shown, and not enforced: no proxy sends requests to it; it only tells where routes lead that permissions target',
  },
  MeshService: YES,
  MeshTLS: {
    enforced: 'inbounds',
    ignored: ({ rules, from }) => confFields([rules, from], ['tlsVersion', 'tlsCiphers']),
  },
  MeshTrafficPermission: { enforced: 'inbounds', ignored: () => [] },
  MeshTrust: {
    enforced: 'partly',
    but: 'enforced at the cross-mesh listeners of gateways alone: other listeners trust the CA of the proxy’s own configuration',
  },
};

function ruleOf({ type, nature }: Kind): Rule {
  return Object.hasOwn(RULES, type) ? (RULES[type as KindType] ?? BY_NATURE[nature]) : BY_NATURE[nature];
}

const MESH_IGNORED = ['constraints', 'logging', 'meshServices', 'metrics', 'networking', 'routing', 'tracing'];

/**
 * What of a resource is enforced, from itself alone (docs/enforcement.md#what-is-not-enforced). What its references
 * select is another question (src/policy/dangling-selections.ts).
 *
 *   MeshTrafficPermission, targetRef: Mesh                 ->  yes
 *   the same, labelled kuma.io/effect: shadow              ->  no
 *   MeshHTTPRoute, targetRef: MeshGateway                  ->  yes: gateways alone route by it
 *   MeshGateway with a listener of protocol TCP            ->  partly: that one is not served
 *   MeshTLS with tlsVersion                                ->  partly
 *   AccessPolicy                                           ->  partly: callers of other zones need a token
 *   MeshTimeout, LoadBalancingPolicy, ...                  ->  no
 */
export function enforcementOf(type: string, labels: Labels, spec: JsonObject): KindEnforcement {
  const kind = findKind(type);
  const rule = kind ? ruleOf(kind) : YES;
  if ((kind?.policy || kind?.nature === 'access') && labels[LABEL.effect] === 'shadow')
    return { enforced: 'no', reasons: [`it is labelled ${LABEL.effect}: shadow: it is matched and shown, and not enforced`] };
  switch (rule.enforced) {
    case 'yes':
      return { enforced: 'yes', reasons: [] };
    case 'served':
      return ofDataplane(spec);
    case 'inbounds':
      return but(type, rule.ignored(spec));
    case 'listeners':
      return ofGateway(spec);
    case 'route':
      return ofRoute(type, spec);
    case 'ignoring':
      return but(type, rule.ignored(spec));
    case 'partly':
      return { enforced: 'partly', reasons: [`${called(type)} is ${rule.but}`] };
    case 'no':
      return { enforced: 'no', reasons: [`${called(type)} is ${rule.because}`] };
  }
}

function called(type: string): string {
  return `${/^[AEIOU]/.test(type) ? 'an' : 'a'} ${type}`;
}

function ofDataplane(spec: JsonObject): KindEnforcement {
  const gateway = asObject(asObject(spec.networking)?.gateway);
  if (!gateway || gateway.type === 'BUILTIN') return { enforced: 'yes', reasons: [] };
  const reason = 'a gateway that is not BUILTIN has listeners of its own, which are not served: no permission is enforced at this proxy';
  return { enforced: 'no', reasons: [reason] };
}

/** How many listeners are named. */
const NAMED = 5;

function ofGateway(spec: JsonObject): KindEnforcement {
  const listeners = asArray(asObject(spec.conf)?.listeners).map((item) => asObject(item) ?? {});
  const unserved = listeners.flatMap((listener) => {
    const read = readListener(listener);
    return 'problem' in read
      ? [`listener ${readable(JSON.stringify(listener.port ?? null))} is not served: ${readable(read.problem)}`]
      : [];
  });
  if (unserved.length === 0) return { enforced: 'yes', reasons: [] };
  const more = unserved.length > NAMED ? [`${unserved.length - NAMED} more listeners are not served`] : [];
  return { enforced: unserved.length < listeners.length ? 'partly' : 'no', reasons: [...unserved.slice(0, NAMED), ...more] };
}

/** Of routes, those on a MeshGateway alone are routed by. */
function ofRoute(type: string, spec: JsonObject): KindEnforcement {
  const isOnGateway = type === 'MeshHTTPRoute' && asObject(spec.targetRef)?.kind === 'MeshGateway';
  if (!isOnGateway) return { enforced: 'partly', reasons: [`${called(type)} is ${UNROUTED}`] };
  const items = asArray(spec.to).map((item) => asObject(item) ?? {});
  const rules = items.flatMap((item) => asArray(item.rules).map((rule) => asObject(rule) ?? {}));
  const matches = rules.flatMap((rule) => asArray(rule.matches).map((match) => asObject(match) ?? {}));
  const reasons = [
    ...(items.some((item) => asObject(item.targetRef)?.kind !== 'Mesh') ? ['items of `to` that are not for `kind: Mesh`'] : []),
    ...(rules.some((rule) => !isAbsent(asObject(rule.default)?.filters)) ? ['rules with filters, which are answered with 503,'] : []),
    ...(matches.some(hasExpression) ? ['matches by regular expressions'] : []),
  ];
  if (reasons.length === 0) return { enforced: 'yes', reasons: [] };
  return { enforced: 'partly', reasons: [`of a MeshHTTPRoute on a MeshGateway ${reasons.join(' and ')} are not routed by`] };
}

function hasExpression({ path, headers, queryParams }: JsonObject): boolean {
  return [path, ...asArray(headers), ...asArray(queryParams)].some((one) => asObject(one)?.type === 'RegularExpression');
}

function but(type: string, ignored: readonly string[]): KindEnforcement {
  if (ignored.length === 0) return { enforced: 'yes', reasons: [] };
  return { enforced: 'partly', reasons: [`of a ${type}, ${ignored.join(', ')} is kept and shown, and not enforced`] };
}

function confFields(lists: readonly JsonObject[string][], fields: readonly string[]): readonly string[] {
  const confs = lists.flatMap((list) => asArray(list).map((item) => asObject(asObject(item)?.default) ?? {}));
  return fields.filter((field) => confs.some((conf) => !isAbsent(conf[field])));
}

function present(spec: JsonObject, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => !isAbsent(spec[field]));
}
