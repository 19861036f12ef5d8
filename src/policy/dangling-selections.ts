import { asArray, asObject, asText, isAbsent } from '../naming/json.ts';
import { referencePlaces } from '../naming/find-references.ts';
import { LABEL, type Labels } from '../resource/labels.ts';
import { formatPath, quote } from '../resource/field-path.ts';
import type { JsonObject, Resource } from '../resource/resource.ts';
import { kindAt, namedType, type TargetRef, TO, type ToKind, type TopKind } from '../resource/schema/reference-kinds.ts';
import { staysHome } from './policy-role.ts';
import type { LabelIndex } from './match/carried-labels.ts';
import { missing } from './match/lost-policies.ts';
import { type Holder, indexMesh, means } from './match/mesh-index.ts';
import { mayTouch, readPolicies } from './match/read-policies.ts';
import type { Policy } from './match/policy.ts';
import { readProxy } from './match/read-proxy.ts';
import { matchProxy } from './match/select-policies.ts';
import { includesAll, labelsOf, SERVICE_TAG, textsOf } from './match/proxy-tags.ts';

/** What there is in a mesh to be referred to. */
export interface Referable {
  /** What a reference by name of this policy may mean: by its key, or by what it is called here. */
  named(type: string, policy: Policy, ref: Pick<TargetRef, 'name' | 'namespace'>): readonly Resource[];
  /** undefined: there are too many to tell. */
  carried(type: string): LabelIndex | undefined;
  readonly holder: Holder;
  /** The gateways: a proxy's listeners are theirs. */
  readonly gateways: readonly Resource[];
}

/**
 * What of a policy selects nothing now, though it names it: its top-level targetRef, labels, sections of services.
 * Names in `to` are told elsewhere (src/control/write/dangling-references.ts). Each costs about one look-up. None for
 * what is no policy.
 *
 *   {kind: Dataplane, labels: {app: wbe}}  ->  spec.targetRef: no Dataplane that it reaches has the labels app=wbe ...
 *   a deny on a route that is not there    ->  spec.targetRef: MeshHTTPRoute nope is not here: until it is, ...
 */
export function danglingSelections(resource: Resource, there: Referable): string[] {
  const [policy] = mayDangle(resource) ? readPolicies([resource]) : [];
  if (!policy) return [];
  const top = policy.targetRef && topReason(policy.targetRef, policy, there);
  return [...(top === undefined ? [] : [`spec.targetRef: ${top}`]), ...innerReasons(policy, there)];
}

/**
 * The kinds of which `danglingSelections` asks what carries labels or tags (`Referable.carried`), for whoever reads
 * them before.
 */
export function kindsByLabels(resource: Resource, there: Pick<Referable, 'named'>): string[] {
  const [policy] = mayDangle(resource) ? readPolicies([resource]) : [];
  if (!policy) return [];
  const inner = referencePlaces(resource.key.type, resource.spec).flatMap(({ value }) => {
    const { kind, labels } = asObject(value) ?? {};
    return isAbsent(labels) ? [] : [kindAt(TO, kind) ?? []].flat();
  });
  return [...new Set([...(policy.targetRef ? topKinds(policy.targetRef, policy, there) : []), ...inner])];
}

function topKinds(ref: TargetRef<TopKind>, policy: Policy, there: Pick<Referable, 'named'>): string[] {
  switch (ref.kind) {
    case 'MeshSubset':
    case 'MeshServiceSubset':
      return ['Dataplane'];
    case 'Dataplane':
      return ref.name === undefined ? ['Dataplane'] : [];
    case 'MeshService':
      if (ref.labels) return ['MeshService'];
      // A name that no service has may be the value of a tag.
      return there.named('MeshService', policy, ref).length > 0 ? [] : ['Dataplane'];
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return ref.labels ? [namedType(ref.kind) ?? ref.kind] : [];
    case 'Mesh':
    case 'MeshGateway':
      return [];
  }
}

/** Most policies are for the whole mesh, or for all of its proxies, and need not be read. */
function mayDangle({ key: { type }, spec }: Resource): boolean {
  const { kind, name, labels, sectionName } = asObject(spec.targetRef) ?? {};
  const isForAll = kind === 'Dataplane' && [name, labels, sectionName].every((asked) => asked === undefined);
  return (kind !== undefined && kind !== 'Mesh' && !isForAll) || referencePlaces(type, spec).length > 0;
}

function topReason(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  switch (ref.kind) {
    case 'MeshSubset':
    case 'MeshServiceSubset':
      return nothing(ofProxies(ref, policy, there));
    case 'Dataplane':
      // One that asks for nothing is for every proxy there may be.
      if ([ref.name, ref.labels, ref.sectionName].every((asked) => asked === undefined)) return undefined;
      return nothing(ofProxies(ref, policy, there) ?? ofSection(ref, policy, there));
    case 'MeshService':
      return nothing(ofService(ref, policy, there));
    case 'MeshGateway':
      return nothing(ofNamed(ref, policy, there));
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return ofRoute(ref, policy, there);
    // It selects everything.
    case 'Mesh':
      return undefined;
  }
}

function nothing(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : `${reason}: it selects nothing`;
}

/** Whether a proxy is there that the reference, without its section, selects. */
function ofProxies(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  const { sectionName: _, ...whole } = ref;
  const tags = tagsOf(ref);
  if (!tags && !ref.labels && ref.name === undefined) return undefined;
  if (selectsSome(whole, policy, there)) return undefined;
  if (ref.name !== undefined && ref.kind === 'Dataplane') return `Dataplane ${describeName(ref)} is not here`;
  return `no Dataplane that it reaches has ${tags ? `an inbound with the tags ${describe(tags)}` : `the labels ${describe(ref.labels ?? {})}`}`;
}

function ofSection(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  if (ref.sectionName === undefined || selectsSome(ref, policy, there)) return undefined;
  return `no inbound of what it targets is called ${quote(ref.sectionName)}`;
}

/** Each proxy is asked as the matcher asks it. */
function selectsSome(ref: TargetRef<TopKind>, policy: Policy, there: Referable): boolean {
  const isSelected = selecting(ref, policy, there);
  if (ref.kind === 'Dataplane' && ref.name !== undefined) return there.named('Dataplane', policy, ref).some(isSelected);
  const carried = there.carried('Dataplane');
  if (!carried) return true;
  return carried.some({ labels: { ...ref.labels, ...home(policy) }, tags: tagsOf(ref) ?? {} }, isSelected);
}

/** Where nothing is asked of inbounds, the Dataplane alone tells. */
function selecting(ref: TargetRef<TopKind>, policy: Policy, there: Referable): (dataplane: Resource) => boolean {
  const isWhole = ref.kind === 'Dataplane' && ref.sectionName === undefined;
  if (isWhole) return (dataplane) => mayTouch(policy, dataplane) && means(ref, policy, dataplane, there);
  const index = indexMesh(there.gateways, there.holder);
  const asked = [{ ...policy, targetRef: ref }];
  return (dataplane) => matchProxy(asked, readProxy(dataplane, index), index).length > 0;
}

/** The tags that a reference asks for; undefined: it asks for none. */
function tagsOf({ kind, name, tags }: TargetRef<TopKind>): Labels | undefined {
  switch (kind) {
    case 'MeshSubset':
      return tags && Object.keys(tags).length > 0 ? tags : undefined;
    case 'MeshService':
    case 'MeshServiceSubset':
      return name === undefined ? tags : { [SERVICE_TAG]: name, ...tags };
    case 'Mesh':
    case 'MeshGateway':
    case 'Dataplane':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
    case 'MeshGatewayRoute':
      return undefined;
  }
}

/** Where alone a policy may touch proxies. */
function home({ resource: { key }, role }: Policy): Labels {
  if (!staysHome(role)) return {};
  const proven = { [LABEL.zone]: key.zone, [LABEL.namespace]: key.namespace };
  return Object.fromEntries(Object.entries(proven).filter(([, value]) => value !== ''));
}

/** By name it may be a resource, or the value of a tag. */
function ofService(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  if (ref.labels) return ofLabels(ref, policy, there);
  const services = there.named('MeshService', policy, ref).filter((service) => means(ref, policy, service, there));
  const { sectionName } = ref;
  if (services.length > 0) return sectionName === undefined ? undefined : ofPorts(services, sectionName);
  if (ref.namespace === undefined && selectsSome(ref, policy, there)) return undefined;
  return ref.namespace === undefined
    ? `MeshService ${describeName(ref)} is not here, and no inbound that it reaches has the tag ${SERVICE_TAG}=${ref.name}`
    : `MeshService ${describeName(ref)} is not here`;
}

function ofPorts(services: readonly Resource[], section: string): string | undefined {
  const isCalled = (port: JsonObject | undefined) =>
    port?.name === section || (typeof port?.port === 'number' && String(port.port) === section);
  if (services.some(({ spec }) => asArray(spec.ports).map(asObject).some(isCalled))) return undefined;
  const [{ key } = { key: { type: 'MeshService', name: '' } }] = services;
  return `${key.type} ${key.name} has no port ${quote(section)}`;
}

/** What is not here keeps its denies (docs/decisions/0010). */
function ofRoute(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  const reason = ref.labels ? ofLabels(ref, policy, there) : ofNamed(ref, policy, there);
  if (reason === undefined) return undefined;
  const isPermission = policy.resource.key.type === 'MeshTrafficPermission' && !policy.shadow;
  if (!isPermission || missing(ref, policy).length === 0) return nothing(reason);
  return `${reason}: until it is, its denies hold for every request to the proxies that it reaches, and its allows for none`;
}

function ofNamed(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  const type = namedType(ref.kind) ?? ref.kind;
  if (there.named(type, policy, ref).some((found) => means(ref, policy, found, there))) return undefined;
  return `${type} ${describeName(ref)} is not here`;
}

function ofLabels(ref: TargetRef<TopKind>, policy: Policy, there: Referable): string | undefined {
  const labels = ref.labels ?? {};
  const type = namedType(ref.kind) ?? ref.kind;
  const carried = there.carried(type);
  if (!carried || carried.some({ labels }, (found) => means(ref, policy, found, there))) return undefined;
  return `no ${type} here has the labels ${describe(labels)}`;
}

/** `to` items and backends by labels, and sections of services by name. */
function innerReasons(policy: Policy, there: Referable): string[] {
  const { key, spec } = policy.resource;
  return referencePlaces(key.type, spec).flatMap(({ path, value }) => {
    const reason = innerReason(asObject(value) ?? {}, policy, there);
    return reason === undefined ? [] : [`${formatPath(['spec', ...path])}: ${reason}`];
  });
}

function innerReason(ref: JsonObject, policy: Policy, there: Referable): string | undefined {
  const [kind, section] = [kindAt(TO, ref.kind), asText(ref.sectionName)];
  if (kind === undefined) return undefined;
  if (!isAbsent(ref.labels)) {
    const labels = textsOf(ref.labels);
    const carried = there.carried(kind);
    if (!carried || carried.some({ labels }, (found) => includesAll(labelsOf(found), labels))) return undefined;
    return `no ${kind} here has the labels ${describe(labels)}`;
  }
  const name = asText(ref.name);
  if (section === undefined || name === undefined || !hasPorts(kind)) return undefined;
  const found = there.named(kind, policy, { name, namespace: asText(ref.namespace) });
  return found.length === 0 ? undefined : ofPorts(found, section);
}

/** Whether a section of it is one of `spec.ports`. */
function hasPorts(kind: ToKind): boolean {
  switch (kind) {
    case 'MeshService':
    case 'MeshMultiZoneService':
      return true;
    case 'Mesh':
    case 'MeshServiceSubset':
    case 'MeshExternalService':
    case 'MeshHTTPRoute':
    case 'MeshTCPRoute':
      return false;
  }
}

function describeName({ name, namespace }: TargetRef): string {
  return namespace === undefined ? quote(name ?? '') : `${quote(name ?? '')} in namespace ${namespace}`;
}

function describe(pairs: Labels): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ');
}
