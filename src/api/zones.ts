import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readReported } from '../control/reported.js';
import { deleteZone, zoneKey } from '../control/zones.js';
import { invalid, MeridianError } from '../errors.js';
import { toUniversal } from '../resource/render.js';
import type { JsonObject, Resource } from '../resource/resource.js';
import { collection, listQuery } from './collection.js';
import type { ApiOptions } from './options.js';
import { NOT_FOUND } from './errors.js';

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
  const config = { title: 'Could not retrieve resources' };
  app.get('/zones/_overview', { config }, overviews);
  app.get('/zones+insights', { config }, overviews);
  app.get<{ Params: { name: string } }>('/zones/:name/_overview', { config: { title: 'Could not retrieve a resource' } }, (request) => {
    const row = store.get(zoneKey(request.params.name));
    if (!row) throw new MeridianError('not_found', NOT_FOUND);
    return toOverview(options, row.resource);
  });
}

/** A Zone as Kuma's ZoneOverview. Its one subscription is there while the zone is connected. */
function toOverview(options: ApiOptions, zone: Resource): JsonObject {
  const { enabled: _, ...head } = toUniversal({ ...zone, spec: {} }, options.plane.place);
  return { ...head, type: 'ZoneOverview', zone: zone.spec, zoneInsight: { subscriptions: subscriptions(options, zone) } };
}

/**
 * Clients take a subscription with a time of connection and none of its end for "online". The first contact is the one such time that is
 * kept: sessions count on a monotonic clock.
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

/** Deletes a Zone with all that it sent. Throws `invalid`, in Kuma's words, while it is connected: it would be back at once, and enabled. */
export function removeZone({ plane, sync }: ApiOptions, name: string): void {
  if (sync?.view(name).online) {
    throw invalid([{ field: 'zone', reason: 'unable to delete Zone, Zone CP is still connected, please shut it down first' }]);
  }
  deleteZone(plane, name);
}
