import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Plane } from '../../control/plane.js';
import { kindOf } from '../../resource/kinds.js';
import { toUniversal } from '../../resource/render.js';
import type { JsonObject, Resource } from '../../resource/resource.js';
import type { Filter, Page, Reader } from '../../resource/store.js';
import { addressOf, collection, listQuery } from '../collection.js';
import type { Params } from '../names.js';
import { proxyFilter } from './proxy-filter.js';
import { findResource, type InspectOptions, MANY, ONE, requireMesh } from './inspected.js';

/** Dataplanes with what is known of their proxies, in Kuma's shape: for `kumactl inspect dataplanes` and dashboards. */
export function addOverviewRoutes(app: FastifyInstance, { plane }: InspectOptions): void {
  const list = (request: FastifyRequest) => {
    const { mesh } = request.params as Params;
    if (mesh !== undefined) requireMesh(plane, mesh);
    const { offset, size, nameContains, labels } = listQuery(request);
    const filter = { type: 'Dataplane', mesh, nameContains, labels };
    const wanted = proxyFilter(addressOf(request).searchParams);
    const page = wanted ? narrowed(plane.store, filter, wanted, offset, size) : plane.store.list(filter, offset, size);
    return collection(
      request,
      page.total,
      page.items.map((dataplane) => toOverview(plane, dataplane)),
    );
  };
  app.get('/dataplanes/_overview', MANY, list);
  app.get('/meshes/:mesh/dataplanes/_overview', MANY, list);
  app.get<{ Params: Params }>('/meshes/:mesh/dataplanes/:name/_overview', ONE, ({ params: { mesh = '', name = '' } }) =>
    toOverview(plane, findResource(plane, kindOf('Dataplane'), mesh, name)),
  );
}

function narrowed(store: Reader, filter: Filter, wanted: (dataplane: Resource) => boolean, offset: number, size: number): Page {
  const all = store.list(filter, 0, Number.MAX_SAFE_INTEGER).items.filter(wanted);
  return { total: all.length, items: all.slice(offset, offset + size) };
}

/** The insight is there once a proxy was connected. */
function toOverview({ place, store }: Plane, dataplane: Resource): JsonObject {
  const insight = store.get({ ...dataplane.key, type: 'DataplaneInsight' })?.resource.spec;
  const head = toUniversal({ ...dataplane, spec: {} }, place);
  return { ...head, type: 'DataplaneOverview', dataplane: dataplane.spec, ...(insight ? { dataplaneInsight: insight } : {}) };
}
