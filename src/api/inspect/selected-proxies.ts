import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Plane } from '../../control/plane/plane.ts';
import { MeridianError } from '../../errors.ts';
import { type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { matchProxy } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import { type Kind, KINDS } from '../../resource/kinds.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { addressOf, collection, paging } from '../http/paged-collection.ts';
import type { Params } from '../resources/locate-resource.ts';
import { described } from '../openapi/operation.ts';
import { getSelecting, listSelected, listSelectedOlder } from '../openapi/selected-shapes.ts';
import { findResource, type InspectOptions, inspected, MANY, matchedKinds, metaOf } from './inspect-context.ts';

/** The proxies that a policy selects, and, as older clients ask, the policies that select a proxy. */
export function addSelectedRoutes(app: FastifyInstance, options: InspectOptions): void {
  const { plane } = options;
  for (const kind of KINDS.filter(({ policy }) => policy !== undefined)) {
    const base = `/meshes/:mesh/${kind.path}/:name`;
    app.get(`${base}/_resources/dataplanes`, described('Could not retrieve policy', listSelected(kind)), async (request) => {
      const proxies = await selectedBy(options, kind, request);
      return paged(request, proxies, ({ dataplane }) => metaOf(plane, dataplane));
    });
    app.get(`${base}/dataplanes`, described(MANY, listSelectedOlder(kind)), async (request) =>
      paged(request, await selectedOrNone(options, kind, request), (proxy) => olderEntry(options, proxy)),
    );
  }
  app.get('/meshes/:mesh/dataplanes/:name/policies', described('Could not get MatchedPolicies', getSelecting), (request) =>
    olderPolicies(options, request),
  );
}

async function selectedBy({ plane, views }: InspectOptions, kind: Kind, request: FastifyRequest): Promise<Proxy[]> {
  const { mesh = '', name = '' } = request.params as Params;
  const wanted = keyId(findResource(plane, kind, mesh, name).key);
  const view = await views(mesh);
  const policy = view.policies.filter(({ resource }) => keyId(resource.key) === wanted);
  const proxies = view.dataplanes.map((dataplane) => readProxy(dataplane, view.index));
  return proxies.filter((proxy) => matchProxy(policy, proxy, view.index).length > 0);
}

/** Kuma's older endpoint knows of no policy that is not there: it then selects nothing. */
async function selectedOrNone(options: InspectOptions, kind: Kind, request: FastifyRequest): Promise<Proxy[]> {
  try {
    return await selectedBy(options, kind, request);
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'not_found') return [];
    throw thrown;
  }
}

/**
 * All of them, for clients of this endpoint don't ask for pages, unless `size` is there; `next` as Kuma writes it, only
 * where there is one.
 */
function paged(request: FastifyRequest, proxies: readonly Proxy[], describe: (proxy: Proxy) => JsonObject) {
  const query = addressOf(request).searchParams;
  const { offset, size } = paging(query);
  if (!query.has('size')) return { total: proxies.length, items: proxies.slice(offset).map(describe) };
  const { next, ...page } = collection(request, proxies.length, proxies.slice(offset, offset + size).map(describe));
  return next === null ? page : { ...page, next };
}

function kindOfEntry({ type }: Proxy): string {
  return type === 'Gateway' ? 'MeshGatewayDataplane' : 'SidecarDataplane';
}

function olderEntry({ plane }: InspectOptions, proxy: Proxy): JsonObject {
  const { dataplane } = proxy;
  return {
    kind: kindOfEntry(proxy),
    dataplane: { mesh: dataplane.key.mesh, name: restName(dataplane, plane.place) },
    attachments: [{ type: 'dataplane' }],
  };
}

/** What `kumactl inspect dataplane` asks for. */
async function olderPolicies(options: InspectOptions, request: FastifyRequest): Promise<JsonObject> {
  const about = await inspected(options, request);
  const matchedPolicies = Object.fromEntries(
    matchedKinds(about).map(({ kind, policies }) => [kind.type, policies.map(({ resource }) => datedMeta(about.plane, resource))]),
  );
  return { kind: kindOfEntry(about.proxy), total: 1, items: [{ type: 'dataplane', matchedPolicies }] };
}

function datedMeta(plane: Plane, resource: Resource): JsonObject {
  const { creationTime, modificationTime } = resource;
  return { ...metaOf(plane, resource), creationTime, modificationTime };
}
