#!/usr/bin/env node
import '../heap.ts';
import { ZONE, type ZoneConfig } from '../../src/config/settings.ts';
import { type Place, usesNamespaces } from '../../src/resource/resource.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { runDaemon } from '../daemon.ts';
import { serveXds } from '../enforce.ts';
import { identify, openNats, openPlane, serveApi, serveDiagnostics, startSync } from '../parts.ts';
import { startZoneAccess } from '../zone-access.ts';

/** A zone: holds its own resources and copies of the others', and works on whoever is away. */
await runDaemon('meridian-zone', ZONE, async (daemon) => {
  const place = placeOf(daemon.config);
  const { environment, systemNamespace } = place;
  const site = daemon.config.siteAttributes;
  const watched = watchCommits(openPlane(daemon, place, { site }), setImmediate);
  const { plane } = watched;
  const identity = identify(plane);
  const nats = openNats(daemon, place);
  const about = { environment, systemNamespace, version: daemon.version, attributes: site };
  const zoneAccess = startZoneAccess(daemon, plane, nats);
  const sync = nats && startSync(daemon, watched, identity, nats, about);
  const enforced = await serveXds(daemon, watched, {
    instance: identity.self.instance,
    hasGlobal: nats !== undefined,
    exchange: zoneAccess.exchange,
  });
  await serveDiagnostics(daemon, plane, sync, nats, { ...enforced, exchange: zoneAccess.exchange });
  await serveApi(daemon, watched, identity, sync, { ...enforced, zoneAccess });
});

/** On universal there are no namespaces, whatever is configured. */
function placeOf({ zoneName, environment, systemNamespace }: ZoneConfig): Place {
  return { zone: zoneName, environment, systemNamespace: usesNamespaces(environment) ? systemNamespace : '' };
}
