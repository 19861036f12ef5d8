import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { Plane } from '../../control/plane/plane.ts';
import { invalid, MeridianError } from '../../errors.ts';
import { addressOf, collection, listQuery } from '../http/paged-collection.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { inMesh } from '../resources/require-mesh.ts';
import { MANY, ONE } from '../inspect/inspect-context.ts';
import type { Params } from '../resources/locate-resource.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { listOf } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';
import { type CountedService, servicesOf } from './count-services.ts';
import { serviceInsight } from './insight-shapes.ts';
import { countedIn, sparse, type OnlineStatus } from './insight-status.ts';

const TYPES = ['internal', 'external', 'gateway_builtin', 'gateway_delegated'] as const;
const STATUSES = ['online', 'offline', 'partially_degraded', 'not_available'] as const;

const query = {
  ...PAGING,
  name: z.string().describe('A part of the name'),
  type: z.enum(TYPES),
  status: z.enum(STATUSES),
};
const list = (id: string, summary: string): Operation => ({
  id,
  summary,
  tag: 'Inspection',
  query,
  answers: { 200: listOf(serviceInsight) },
});
const get: Operation = {
  id: 'getServiceInsight',
  summary: 'Get how a service stands',
  tag: 'Inspection',
  answers: { 200: serviceInsight },
};

/**
 * `/meshes/{mesh}/service-insights`, for `kumactl inspect services` and dashboards: services are known by the tag
 * `kuma.io/service`.
 */
export function addServiceInsightRoutes(app: FastifyInstance, { plane }: ApiOptions): void {
  const preHandler = inMesh(plane);
  app.get('/service-insights', described(MANY, list('listAllServiceInsights', 'List how the services of all meshes stand')), (request) =>
    listed(plane, request),
  );
  app.get(
    '/meshes/:mesh/service-insights',
    { preHandler, ...described(MANY, list('listServiceInsights', 'List how services stand')) },
    (request) => listed(plane, request),
  );
  app.get('/meshes/:mesh/service-insights/:name', { preHandler, ...described(ONE, get) }, (request) => {
    const { mesh = '', name } = request.params as Params;
    const found = servicesOf(countedIn(plane.store, mesh)).find((service) => service.name === name);
    if (!found) throw new MeridianError('not_found', NOT_FOUND);
    return toInsight(plane, found);
  });
}

function listed(plane: Plane, request: FastifyRequest) {
  const { offset, size, nameContains = '' } = listQuery(request);
  const { searchParams } = addressOf(request);
  const [type, status] = [chosen(searchParams, 'type', TYPES), chosen(searchParams, 'status', STATUSES)];
  const services = servicesOf(countedIn(plane.store, (request.params as Params).mesh)).filter(
    (service) =>
      service.name.includes(nameContains) &&
      (type === undefined || type === typeOf(service)) &&
      (status === undefined || status === STATUS[service.status]),
  );
  return collection(
    request,
    services.length,
    services.slice(offset, offset + size).map((service) => toInsight(plane, service)),
  );
}

function chosen<T extends string>(params: URLSearchParams, field: string, known: readonly T[]): T | undefined {
  const text = params.get(field) || undefined;
  const value = known.find((one) => one === text);
  if (text !== undefined && value === undefined) throw invalid([{ field, reason: `must be one of ${known.join(', ')}` }]);
  return value;
}

const STATUS: Readonly<Record<OnlineStatus, (typeof STATUSES)[number]>> = {
  online: 'online',
  offline: 'offline',
  partiallyDegraded: 'partially_degraded',
};

function typeOf({ kind }: CountedService): (typeof TYPES)[number] {
  if (kind === 'standard') return 'internal';
  return kind === 'gatewayBuiltin' ? 'gateway_builtin' : 'gateway_delegated';
}

function toInsight({ now, store }: Plane, service: CountedService) {
  const { mesh, name, status, dataplanes, zones } = service;
  const type = typeOf(service);
  return {
    type: 'ServiceInsight',
    mesh,
    name,
    creationTime: store.byName('Mesh', '', '', mesh)?.resource.creationTime ?? now(),
    modificationTime: now(),
    status: STATUS[status],
    dataplanes: sparse(dataplanes),
    ...(type === 'internal' ? {} : { serviceType: type }),
    zones: zones.filter((zone) => zone !== ''),
  };
}
