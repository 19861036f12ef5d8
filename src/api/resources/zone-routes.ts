import { zoneKey } from '../../control/peers/zone-state.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { readReported } from '../../control/peers/reported-refusals.ts';
import { deleteZone } from '../../control/write/zone-registration.ts';
import { invalid, MeridianError } from '../../errors.ts';
import { kindOf } from '../../resource/kinds.ts';
import { toUniversal } from '../../resource/documents/render-forms.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { schemaOf } from '../../resource/documents/validate-draft.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Transaction } from '../../resource/store/store.ts';
import { collection, listQuery } from '../http/paged-collection.ts';
import { described, type Operation } from '../openapi/operation.ts';
import { LISTING } from '../openapi/parameters.ts';
import { kri, labels, listOf, time } from '../openapi/common-shapes.ts';
import type { ApiOptions } from '../api-options.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import type { Params } from './locate-resource.ts';

const MANY = 'Could not retrieve resources';

const subscription = z.strictObject({
  id: z.string(),
  globalInstanceId: z.string(),
  connectTime: time,
  status: z.strictObject({ total: z.strictObject({ responsesRejected: z.string() }) }),
  version: z.strictObject({ kumaCp: z.strictObject({ version: z.string() }) }).optional(),
});

const overview = z
  .strictObject({
    type: z.literal('ZoneOverview'),
    name: z.string(),
    creationTime: time,
    modificationTime: time,
    labels: labels.optional(),
    kri,
    zone: schemaOf(kindOf('Zone')),
    zoneInsight: z.strictObject({ subscriptions: z.array(subscription) }),
  })
  .meta({ id: 'ZoneOverview' });

const listOverviews: Operation = {
  id: 'listZoneOverviews',
  summary: 'List zones with their connections',
  tag: 'Zones and sync',
  query: LISTING,
  answers: { 200: listOf(overview) },
};

const getOverview: Operation = {
  id: 'getZoneOverview',
  summary: 'Get a zone with its connections',
  tag: 'Zones and sync',
  answers: { 200: overview },
};

/** Zones with their connections, for `kumactl inspect zones` and the dashboard. */
export function addZoneRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { store } = options.plane;
  const overviews = (request: FastifyRequest) => {
    const { offset, size, nameContains, labels } = listQuery(request);
    const page = store.list({ type: 'Zone', nameContains, labels }, offset, size);
    return collection(
      request,
      page.total,
      page.items.map((zone) => toOverview(options, zone)),
    );
  };
  app.get('/zones/_overview', described(MANY, listOverviews), overviews);
  app.get('/zones+insights', described(MANY, { ...listOverviews, id: 'listZonesAndInsights' }), overviews);
  const overviewOf = (request: FastifyRequest) => {
    const row = store.get(zoneKey((request.params as Params).name ?? ''));
    if (!row) throw new MeridianError('not_found', NOT_FOUND);
    return toOverview(options, row.resource);
  };
  const one = 'Could not retrieve a resource';
  app.get('/zones/:name/_overview', described(one, getOverview), overviewOf);
  app.get('/zones+insights/:name', described(one, { ...getOverview, id: 'getZoneAndInsight' }), overviewOf);
}

/** A Zone as Kuma's ZoneOverview. Its one subscription is there while the zone is connected. */
function toOverview(options: ApiOptions, zone: Resource): JsonObject {
  const { enabled: _, ...head } = toUniversal({ ...zone, spec: {} }, options.plane.place);
  return { ...head, type: 'ZoneOverview', zone: zone.spec, zoneInsight: { subscriptions: subscriptions(options, zone) } };
}

/**
 * Clients take a zone for online if its subscription has a time of connection and no time of its end. The only such
 * time that is stored is that of the first contact: sessions use a monotonic clock.
 */
function subscriptions({ plane, sync, info }: ApiOptions, { key, creationTime }: Resource): JsonObject[] {
  const view = sync?.view(key.name);
  if (!view?.online) return [];
  return [
    {
      id: key.name,
      globalInstanceId: info.instance,
      connectTime: creationTime,
      status: { total: { responsesRejected: String(readReported(plane.store, key.name).refusals.length) } },
      ...(view.about ? { version: { kumaCp: { version: view.about.version } } } : {}),
    },
  ];
}

/**
 * Deletes a Zone with all that it sent. Throws `invalid`, in Kuma's words, while it is connected: it would be back at
 * once, and enabled.
 */
export function* removeZone(tx: Transaction, { plane, sync }: ApiOptions, name: string): Parts<void> {
  if (sync?.view(name).online) {
    throw invalid([{ field: 'zone', reason: 'unable to delete Zone, Zone CP is still connected, please shut it down first' }]);
  }
  yield* deleteZone(tx, plane, name);
}
