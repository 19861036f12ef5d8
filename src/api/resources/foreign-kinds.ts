import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { MeridianError } from '../../errors.ts';
import { addressOf, collection, paging } from '../http/paged-collection.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { inMesh } from './require-mesh.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { listOf } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';

/** A kind of Kuma that is not served here. */
interface ForeignKind {
  readonly type: string;
  /** Each of the names that its collection has. */
  readonly paths: readonly string[];
  readonly scope: 'Mesh' | 'Global';
  /** What to do instead. */
  readonly hint: string;
}

const older = (type: string, path: string, instead: string): ForeignKind => ({
  type,
  paths: [path],
  scope: 'Mesh',
  hint: `use ${instead}: Kuma's policies without a targetRef are not served here`,
});

const SECRETS = 'no secrets are kept here: give certificates to the proxies by file, and trust domains by MeshTrust';
const PROXIES = 'traffic between zones is not proxied here';

/** Kuma 2.14's kinds that Meridian does not have (docs/kuma-differences.md). */
export const FOREIGN_KINDS: readonly ForeignKind[] = [
  older('CircuitBreaker', 'circuit-breakers', 'MeshCircuitBreaker'),
  older('ExternalService', 'external-services', 'MeshExternalService'),
  older('FaultInjection', 'fault-injections', 'MeshFaultInjection'),
  older('HealthCheck', 'health-checks', 'MeshHealthCheck'),
  older('MeshGatewayRoute', 'meshgatewayroutes', 'MeshHTTPRoute with the targetRef MeshGateway'),
  older('ProxyTemplate', 'proxytemplates', 'MeshProxyPatch'),
  older('RateLimit', 'rate-limits', 'MeshRateLimit'),
  older('Retry', 'retries', 'MeshRetry'),
  older('Timeout', 'timeouts', 'MeshTimeout'),
  older('TrafficLog', 'traffic-logs', 'MeshAccessLog'),
  older('TrafficPermission', 'traffic-permissions', 'MeshTrafficPermission'),
  older('TrafficRoute', 'traffic-routes', 'MeshHTTPRoute or MeshTCPRoute'),
  older('TrafficTrace', 'traffic-traces', 'MeshTrace'),
  older('VirtualOutbound', 'virtual-outbounds', 'HostnameGenerator'),
  { type: 'MeshOpenTelemetryBackend', paths: ['meshopentelemetrybackends'], scope: 'Mesh', hint: 'say the backend in the policy itself' },
  { type: 'MeshZoneAddress', paths: ['meshzoneaddresses'], scope: 'Mesh', hint: PROXIES },
  { type: 'Secret', paths: ['secrets'], scope: 'Mesh', hint: SECRETS },
  { type: 'GlobalSecret', paths: ['globalsecrets', 'global-secrets'], scope: 'Global', hint: SECRETS },
  { type: 'ZoneEgress', paths: ['zoneegresses'], scope: 'Global', hint: PROXIES },
  { type: 'ZoneIngress', paths: ['zoneingresses', 'zone-ingresses'], scope: 'Global', hint: PROXIES },
];

/** Lists that clients of Kuma ask for beside those of the kinds: never anything in them. */
const OVERVIEWS = [
  'zoneegresses/_overview',
  'zoneegressoverviews',
  'zoneegresses+insights',
  'zoneingresses/_overview',
  'zone-ingresses/_overview',
  'zoneingresses+insights',
];

/** The empty lists, as patterns of Fastify: what they ask for is `read`. */
export const EMPTY_LISTS: readonly string[] = [
  ...FOREIGN_KINDS.flatMap(({ paths, scope }) =>
    paths.flatMap((path) => [`/${path}`, ...(scope === 'Mesh' ? [`/meshes/:mesh/${path}`] : [])]),
  ),
  ...OVERVIEWS.map((path) => `/${path}`),
];

/** Where one of them would be. */
export const FOREIGN_RESOURCES: readonly string[] = FOREIGN_KINDS.flatMap(({ paths, scope }) =>
  paths.map((path) => (scope === 'Mesh' ? `/meshes/:mesh/${path}/:name` : `/${path}/:name`)),
);

/** `/meshes/:mesh/circuit-breakers` -> listNoneMeshesMeshCircuitBreakers */
function listNothing(path: string): Operation {
  const words = path.split(/[^a-z]+/i).filter((word) => word !== '');
  return {
    id: `listNone${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`,
    summary: 'An empty list: a kind of Kuma that is not served here',
    tag: 'Resources',
    query: PAGING,
    answers: { 200: listOf(z.never()) },
  };
}

const undocumented = 'a kind of Kuma that is not served here: there is never one';

/**
 * Kuma's kinds that Meridian does not have. Their lists are empty, so that `kumactl get`, `kumactl export` and
 * dashboards work. A write is refused, and the answer says what to use instead.
 */
export function addForeignRoutes(app: FastifyInstance, { plane }: ApiOptions): void {
  const meshIsThere = inMesh(plane);
  for (const path of EMPTY_LISTS) {
    const preHandler = path.startsWith('/meshes/') ? meshIsThere : [];
    app.get(path, { preHandler, ...described('Could not retrieve resources', listNothing(path)) }, (request) => {
      paging(addressOf(request).searchParams);
      return collection(request, 0, []);
    });
  }
  for (const path of FOREIGN_RESOURCES) addOne(app, path);
}

function addOne(app: FastifyInstance, path: string): void {
  const kind = FOREIGN_KINDS.find(({ paths }) => paths.some((one) => path.endsWith(`/${one}/:name`)));
  const titled = (operation: string) => ({ config: { title: `Could not ${operation} a resource`, undocumented } });
  const missing = (): never => {
    throw new MeridianError('not_found', NOT_FOUND);
  };
  app.get(path, titled('retrieve'), missing);
  app.delete(path, titled('delete'), missing);
  app.put(path, titled('process'), () => {
    throw new MeridianError('read_only', `a ${kind?.type} is not served here`, kind ? { hint: kind.hint } : {});
  });
}
