import type { Labels } from '../../src/resource/labels.ts';
import type { JsonObject, JsonValue, Resource } from '../../src/resource/resource.ts';
import { givenResource } from '../../src/policy/decide/given-requests.ts';
import { indexMesh, type MeshIndex } from '../../src/policy/match/mesh-index.ts';
import { readPolicies } from '../../src/policy/match/read-policies.ts';
import type { Policy } from '../../src/policy/match/policy.ts';
import { type Inbound, type Proxy, readProxy } from '../../src/policy/match/read-proxy.ts';

/** What the specs of policies share: resources in a few words. */

/** Where something is from: `global` by default, `east`, `east/backend-ns`. */
export function resource(type: string, name: string, spec: JsonObject, from = '', labels: Labels = {}, mesh = 'default'): Resource {
  const [zone, namespace] = from.split('/');
  const origin = { ...(zone ? { 'kuma.io/zone': zone } : {}), ...(namespace ? { 'k8s.kuma.io/namespace': namespace } : {}) };
  const body = type === 'Dataplane' || type === 'MeshGateway' ? spec : { spec };
  return givenResource({ type, mesh, name, labels: { ...labels, ...origin }, ...body }, name);
}

export interface WorldOptions {
  readonly name?: string;
  readonly from?: string;
  readonly labels?: Labels;
  readonly tags?: Labels;
  readonly protocol?: string;
  readonly mesh?: string;
}

/** A Dataplane with one inbound on port 8080, called `main`. */
export function dataplane({
  name = 'backend-1',
  from = 'east',
  labels = {},
  tags = {},
  protocol = 'http',
  mesh = 'default',
}: WorldOptions = {}): Resource {
  const inbound = { port: 8080, name: 'main', protocol, tags };
  return resource('Dataplane', name, { networking: { address: '127.0.0.1', inbound: [inbound] } }, from, labels, mesh);
}

export function permission(name: string, spec: JsonObject, from = '', labels: Labels = {}): Resource {
  return resource('MeshTrafficPermission', name, spec, from, labels);
}

/** One that is stored from before its spec was refused. */
export function storedPermission(name: string, spec: JsonObject): Resource {
  return { ...permission(name, { default: { deny: [exact('spiffe://td/nobody')] } }), spec };
}

/** Items of `from`, each as a targetRef and an action. */
export function fromList(...items: readonly (readonly [targetRef: JsonValue, action: string])[]): JsonObject {
  return { from: items.map(([targetRef, action]) => ({ targetRef, default: { action } })) };
}

export function exact(value: string): JsonObject {
  return { spiffeId: { type: 'Exact', value } };
}

export function prefix(value: string): JsonObject {
  return { spiffeId: { type: 'Prefix', value } };
}

export interface PolicyWorld {
  readonly policies: readonly Policy[];
  readonly proxy: Proxy;
  readonly inbound: Inbound;
  readonly mesh: MeshIndex;
}

/** Policies read and ordered, and the proxy that they may select. */
export function world(policies: readonly Resource[], target: Resource, others: readonly Resource[] = []): PolicyWorld {
  const mesh = indexMesh([...others, target]);
  const proxy = readProxy(target, mesh);
  const [inbound] = proxy.inbounds;
  if (!inbound) throw new Error('a proxy has at least one inbound');
  return { policies: readPolicies(policies), proxy, inbound, mesh };
}
