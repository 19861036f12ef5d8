import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { ProxyStatus } from '../../control/enforce/proxy-status.ts';
import { MeridianError } from '../../errors.ts';
import { kindOf } from '../../resource/kinds.ts';
import { restName } from '../../resource/rest-name.ts';
import { addressOf, collection, paging } from '../http/paged-collection.ts';
import { findResource, MANY, ONE } from '../inspect/inspect-context.ts';
import type { Params } from '../resources/locate-resource.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { PAGING } from '../openapi/parameters.ts';
import { listOf, time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';

const count = z.int().min(0);
const said = z.strictObject({ reason: z.string(), since: time });
const refused = z.strictObject({ name: z.string(), version: z.string(), message: z.string(), since: time, attempts: count });
const type = z.strictObject({
  typeUrl: z.string(),
  accepted: count.describe('How many resources the proxy has'),
  waiting: z.boolean(),
  refused: z.array(refused).describe('What it does not take: the last good version stays in force'),
  responses: z.strictObject({ sent: count, accepted: count, refused: count }),
});
const stream = z.strictObject({
  connected: z.boolean(),
  envoyVersion: z.string(),
  since: time,
  until: time.optional(),
  types: z.array(type),
});
const proxy = z
  .strictObject({
    mesh: z.string(),
    name: z.string(),
    streams: z.array(stream).describe('Its streams; when there is none now, the last one'),
    problem: said.optional().describe('Why what it should have can’t be made: it keeps what it has'),
    refused: said.optional().describe('Why it was turned away'),
    notServed: z.array(z.string()).describe('What of its Dataplane can’t be served, or is shut: nobody gets in there'),
    shut: z
      .array(z.strictObject({ inbound: z.string(), reason: z.string() }))
      .describe('Its inbounds that let nobody in, whatever the policies say, since they can’t be built'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Proxy' });

const list: Operation = {
  id: 'listProxies',
  summary: 'List how the Envoys of this zone stand with what they are to enforce',
  tag: 'Inspection',
  query: PAGING,
  answers: { 200: listOf(proxy) },
};
const get: Operation = {
  id: 'getProxy',
  summary: 'Get how the Envoy of a Dataplane stands with what it is to enforce',
  tag: 'Inspection',
  answers: { 200: proxy },
};

/**
 * `GET /_proxies` and a Dataplane's `/_proxy`: the Envoys that proved who they are since this zone started. A zone's
 * alone.
 */
export function addProxiesRoutes(app: FastifyInstance, { plane, proxies }: ApiOptions): void {
  if (!proxies) return;
  app.get('/_proxies', described(MANY, list), (request) => {
    const { offset, size } = paging(addressOf(request).searchParams);
    const all = proxies();
    return collection(request, all.length, all.slice(offset, offset + size));
  });
  app.get('/meshes/:mesh/dataplanes/:name/_proxy', described(ONE, get), (request: FastifyRequest): ProxyStatus => {
    const { mesh = '', name = '' } = request.params as Params;
    const known = restName(findResource(plane, kindOf('Dataplane'), mesh, name), plane.place);
    const found = proxies().find((one) => one.mesh === mesh && one.name === known);
    if (!found) throw new MeridianError('not_found', `the proxy of ${known} was never connected since this zone started`);
    return found;
  });
}
