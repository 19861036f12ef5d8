#!/usr/bin/env node
import '../heap.js';
import { AT_GLOBAL, type Values } from '../../src/config/settings.js';
import { watchCommits } from '../../src/control/commits.js';
import type { Quota } from '../../src/control/plane.js';
import { GLOBAL } from '../../src/resource/resource.js';
import { runDaemon } from '../daemon.js';
import { identify, openNats, openPlane, serveApi, serveDiagnostics, startSync } from '../parts.js';

const MEGABYTE = 1_000_000;

function quotaOf({ zoneMaxResources, zoneMaxMegabytes }: Values<typeof AT_GLOBAL>): Quota {
  return { resources: zoneMaxResources, bytes: zoneMaxMegabytes * MEGABYTE };
}

/** Global: holds what is the same everywhere, assigns the names of copies, and passes on to each zone what it needs. */
await runDaemon('meridian-global', AT_GLOBAL, async (daemon) => {
  const watched = watchCommits(openPlane(daemon, GLOBAL, quotaOf(daemon.config)), setImmediate);
  const { plane } = watched;
  const identity = identify(plane);
  const nats = openNats(daemon, GLOBAL);
  const sync = nats && startSync(daemon, plane, identity, nats);
  await serveDiagnostics(daemon, plane, sync, nats);
  await serveApi(daemon, watched, identity, sync);
});
