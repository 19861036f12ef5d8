import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Plane } from '../../control/plane/plane.ts';
import { kindOf } from '../../resource/kinds.ts';
import { toUniversal } from '../../resource/documents/render-forms.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { anyObject } from '../../resource/schema/kind-fields.ts';
import type { Filter, ListPage, Reader } from '../../resource/store/store.ts';
import { schemaOf } from '../../resource/documents/validate-draft.ts';
import { addressOf, collection, listQuery } from '../http/paged-collection.ts';
import type { Params } from '../resources/locate-resource.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { LISTING } from '../openapi/parameters.ts';
import { kri, labels, listOf, time } from '../openapi/common-shapes.ts';
import { proxyFilter } from './proxy-filter.ts';
import { findResource, type InspectOptions, MANY, ONE, requireMesh } from './inspect-context.ts';

const overview = z
  .strictObject({
    type: z.literal('DataplaneOverview'),
    mesh: z.string(),
    name: z.string(),
    creationTime: time,
    modificationTime: time,
    labels: labels.optional(),
    kri,
    status: anyObject.optional(),
    dataplane: schemaOf(kindOf('Dataplane')),
    dataplaneInsight: anyObject.optional(),
  })
  .meta({ id: 'DataplaneOverview' });

const listOverviews: Operation = {
  id: 'listDataplaneOverviews',
  summary: 'List Dataplanes with what is known of their proxies',
  tag: 'Inspection',
  query: {
    ...LISTING,
    tag: z.array(z.string()).describe('Like `kuma.io/service:web`: one inbound must have each'),
    gateway: z.enum(['true', 'false', 'builtin', 'delegated']),
  },
  answers: { 200: listOf(overview) },
};

const getOverview: Operation = {
  id: 'getDataplaneOverview',
  summary: 'Get a Dataplane with what is known of its proxy',
  tag: 'Inspection',
  answers: { 200: overview },
};

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
  app.get('/dataplanes/_overview', described(MANY, { ...listOverviews, id: 'listAllDataplaneOverviews' }), list);
  app.get('/meshes/:mesh/dataplanes/_overview', described(MANY, listOverviews), list);
  const one = (request: FastifyRequest) => {
    const { mesh = '', name = '' } = request.params as Params;
    return toOverview(plane, findResource(plane, kindOf('Dataplane'), mesh, name));
  };
  app.get('/meshes/:mesh/dataplanes/:name/_overview', described(ONE, getOverview), one);
  // The same by other names.
  app.get('/dataplanes+insights', described(MANY, { ...listOverviews, id: 'listAllDataplanesAndInsights' }), list);
  app.get('/meshes/:mesh/dataplanes+insights', described(MANY, { ...listOverviews, id: 'listDataplanesAndInsights' }), list);
  app.get('/meshes/:mesh/dataplanes+insights/:name', described(ONE, { ...getOverview, id: 'getDataplaneAndInsight' }), one);
}

function narrowed(store: Reader, filter: Filter, wanted: (dataplane: Resource) => boolean, offset: number, size: number): ListPage {
  const all = store.list(filter, 0, Number.MAX_SAFE_INTEGER).items.filter(wanted);
  return { total: all.length, items: all.slice(offset, offset + size) };
}

/** The insight is there once a proxy was connected. */
function toOverview({ place, store }: Plane, dataplane: Resource): JsonObject {
  const insight = store.get({ ...dataplane.key, type: 'DataplaneInsight' })?.resource.spec;
  const head = toUniversal({ ...dataplane, spec: {} }, place);
  return { ...head, type: 'DataplaneOverview', dataplane: dataplane.spec, ...(insight ? { dataplaneInsight: insight } : {}) };
}
