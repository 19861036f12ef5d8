import type { FastifyRequest } from 'fastify';
import type { ShutAt } from '../../control/matrix/column-gates.ts';
import { meshExists } from '../../control/put/put-own.ts';
import type { MeshView, MeshViews } from '../../control/mesh/mesh-view.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { MeridianError } from '../../errors.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { type SelectingPolicy, matchInbound } from '../../policy/match/select-policies.ts';
import { formatKri, type Key, parseKri } from '../../resource/key.ts';
import { type Kind, kindOf } from '../../resource/kinds.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { locate, type Params } from '../resources/locate-resource.ts';
import type { ApiOptions } from '../api-options.ts';
import type { WorkBudget } from '../bodies/work-budget.ts';

/** What the endpoints about one proxy are given. */
export interface InspectContext {
  readonly plane: Plane;
  readonly view: MeshView;
  readonly proxy: Proxy;
}

/** What inspection needs beside the API's options: a mesh as the policy engine sees it. */
export interface InspectOptions extends ApiOptions {
  readonly views: MeshViews;
  /** Of all that is dear: one for each who asks, whatever it asks. */
  readonly budget: WorkBudget;
}

/** What this zone gave to its proxies that lets nobody in, whatever the policies say; asked once for all. */
export function shutAt({ plane, proxies }: Pick<ApiOptions, 'plane' | 'proxies'>): ShutAt {
  const given = new Map(proxies?.().map(({ mesh, name, shut }) => [`${mesh} ${name}`, shut]));
  return ({ dataplane }) => given.get(`${dataplane.key.mesh} ${restName(dataplane, plane.place)}`) ?? [];
}

/** Kuma's titles for what fails. */
export const ONE = 'Could not retrieve a resource';
export const MANY = 'Could not retrieve resources';

/** The proxy of `/meshes/:mesh/dataplanes/:name`. Rejects with `not_found`. */
export async function inspected({ plane, views }: InspectOptions, request: FastifyRequest): Promise<InspectContext> {
  const { mesh = '', name = '' } = request.params as Params;
  requireMesh(plane, mesh);
  const view = await views(mesh);
  const dataplane = findResource(plane, kindOf('Dataplane'), mesh, name);
  return { plane, view, proxy: readProxy(dataplane, view.index) };
}

/** Throws `not_found`. */
export function requireMesh({ store }: Plane, mesh: string): void {
  if (!meshExists(store, mesh)) throw noMesh(mesh);
}

export function noMesh(mesh: string): MeridianError {
  return new MeridianError('not_found', `mesh ${mesh.slice(0, 80)} does not exist`);
}

/** By REST name, or by KRI. Throws `not_found`. */
export function findResource(plane: Plane, kind: Kind, mesh: string, name: string): Resource {
  requireMesh(plane, mesh);
  const row = name.startsWith('kri_') ? plane.store.get(parseKri(name).key) : locate(plane, kind, mesh, name);
  if (row && row.resource.key.type === kind.type && row.resource.key.mesh === mesh) return row.resource;
  throw new MeridianError('not_found', NOT_FOUND);
}

/** A resource as Kuma's inspection names it, with the KRI beside. */
export function metaOf({ place }: Plane, resource: Resource): JsonObject {
  const { key, labels } = resource;
  return { kri: formatKri(key), labels, mesh: key.mesh, name: restName(resource, place), type: key.type };
}

export function originMeta({ plane, view }: Pick<InspectContext, 'plane' | 'view'>, key: Key): JsonObject {
  const resource = view.find(key);
  return resource ? metaOf(plane, resource) : { kri: formatKri(key), mesh: key.mesh, name: key.name, type: key.type };
}

export function originKris(origins: readonly Key[]): JsonObject[] {
  return origins.map((key) => ({ kri: formatKri(key) }));
}

/** What selects a proxy, of one kind. */
export interface MatchedKind {
  readonly kind: Kind;
  /** For each of the proxy's inbounds. */
  readonly inbounds: readonly (readonly SelectingPolicy[])[];
  /** By any inbound, in order. */
  readonly policies: readonly Policy[];
}

/** What selects a proxy, by kind, in the order of their names. */
export function matchedKinds({ view, proxy }: InspectContext): MatchedKind[] {
  const matched = proxy.inbounds.map((inbound) => matchInbound(view.policies, proxy, inbound, view.index));
  const types = [...new Set(matched.flat().map(({ policy }) => policy.resource.key.type))].sort();
  return types.map((type) => {
    const inbounds = matched.map((matches) => matches.filter(({ policy }) => policy.resource.key.type === type));
    const any = new Set(inbounds.flat().map(({ policy }) => policy));
    return { kind: kindOf(type), inbounds, policies: view.policies.filter((policy) => any.has(policy)) };
  });
}
