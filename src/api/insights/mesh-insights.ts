import type { FastifyInstance } from 'fastify';
import type { Plane } from '../../control/plane/plane.ts';
import { MeridianError } from '../../errors.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Reader } from '../../resource/store/store.ts';
import { collection, listQuery } from '../http/paged-collection.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { MANY, ONE } from '../inspect/inspect-context.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { LISTING } from '../openapi/parameters.ts';
import { listOf } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';
import { servicesOf } from './count-services.ts';
import { meshInsight } from './insight-shapes.ts';
import { type CountedProxy, countedIn, groupedBy, sparse, tallyOf } from './insight-status.ts';

const list: Operation = {
  id: 'listMeshInsights',
  summary: 'List what is in each mesh, counted',
  tag: 'Inspection',
  query: LISTING,
  answers: { 200: listOf(meshInsight) },
};

const get: Operation = {
  id: 'getMeshInsight',
  summary: 'Get what is in a mesh, counted',
  tag: 'Inspection',
  answers: { 200: meshInsight },
};

/** `/mesh-insights`, for `kumactl inspect meshes` and dashboards: worked out when it is asked for. */
export function addMeshInsightRoutes(app: FastifyInstance, { plane }: ApiOptions): void {
  app.get('/mesh-insights', described(MANY, list), (request) => {
    const { offset, size, nameContains, labels } = listQuery(request);
    const page = plane.store.list({ type: 'Mesh', nameContains, labels }, offset, size);
    const counted = groupedBy(countedIn(plane.store), ({ mesh }) => mesh);
    const items = page.items.map((mesh) => toInsight(plane, mesh, counted.get(mesh.key.name) ?? []));
    return collection(request, page.total, items);
  });
  app.get<{ Params: { name: string } }>('/mesh-insights/:name', described(ONE, get), ({ params: { name } }) => {
    const mesh = plane.store.byName('Mesh', '', '', name)?.resource;
    if (!mesh) throw new MeridianError('not_found', NOT_FOUND);
    return toInsight(plane, mesh, countedIn(plane.store, name));
  });
}

function toInsight({ store, now }: Plane, { key: { name }, creationTime }: Resource, counted: readonly CountedProxy[]) {
  const gateways = counted.filter(({ kind }) => kind !== 'standard');
  const of = (kind: CountedProxy['kind']) => sparse(tallyOf(counted.filter((one) => one.kind === kind)));
  const resources = totalsOf(store, (mesh) => mesh === name);
  const policies = Object.entries(resources).filter(([type]) => kindOf(type).policy);
  const services = servicesOf(counted).length;
  return {
    type: 'MeshInsight',
    name,
    creationTime,
    modificationTime: now(),
    dataplanes: sparse(tallyOf(counted)),
    ...(policies.length > 0 ? { policies: Object.fromEntries(policies) } : {}),
    dpVersions: counted.length > 0 ? { envoy: versionsOf(counted) } : {},
    mTLS: {},
    services: services > 0 ? { total: services, internal: services } : {},
    dataplanesByType: {
      standard: of('standard'),
      gateway: sparse(tallyOf(gateways)),
      gatewayBuiltin: of('gatewayBuiltin'),
      gatewayDelegated: of('gatewayDelegated'),
    },
    resources,
  };
}

function versionsOf(counted: readonly CountedProxy[]): Record<string, object> {
  const versions = groupedBy(counted, ({ envoy }) => envoy);
  return Object.fromEntries([...versions].map(([version, all]) => [version, sparse(tallyOf(all))]));
}

/** How many resources of each kind are in the meshes that are wanted; '' is in none. */
export function totalsOf(store: Reader, isWanted: (mesh: string) => boolean): Record<string, { total: number }> {
  const totals: Record<string, { total: number }> = {};
  for (const { type, mesh, count } of store.counts()) {
    if (isWanted(mesh)) totals[type] = { total: (totals[type]?.total ?? 0) + count };
  }
  return totals;
}
