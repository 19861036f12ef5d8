#!/usr/bin/env node
import '../heap.ts';
import { AT_GLOBAL, type Values } from '../../src/config/settings.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import type { Quota } from '../../src/control/plane/plane.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { runDaemon } from '../daemon.ts';
import { identify, openNats, openPlane, serveApi, serveDiagnostics, startSync } from '../parts.ts';

const MEGABYTE = 1_000_000;

function quotaOf({ zoneMaxResources, zoneMaxMegabytes }: Values<typeof AT_GLOBAL>): Quota {
  return { resources: zoneMaxResources, bytes: zoneMaxMegabytes * MEGABYTE };
}

/** Global: holds what is the same everywhere, assigns the names of copies, and passes on to each zone what it needs. */
await runDaemon('meridian-global', AT_GLOBAL, async (daemon) => {
  const watched = watchCommits(openPlane(daemon, GLOBAL, { quota: quotaOf(daemon.config) }), setImmediate);
  const { plane } = watched;
  const identity = identify(plane);
  const nats = openNats(daemon, GLOBAL);
  const sync = nats && startSync(daemon, watched, identity, nats);
  await serveDiagnostics(daemon, plane, sync, nats);
  await serveApi(daemon, watched, identity, sync);
});
