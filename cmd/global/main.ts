#!/usr/bin/env node
import { COMMON } from '../../src/config/settings.js';
import { watchCommits } from '../../src/control/commits.js';
import { GLOBAL } from '../../src/resource/resource.js';
import { runDaemon } from '../daemon.js';
import { identify, openNats, openPlane, serveApi, serveDiagnostics, startSync } from '../parts.js';

/** Global: holds what is the same everywhere, assigns the names of copies, and passes on to each zone what it needs. */
await runDaemon('meridian-global', COMMON, async (daemon) => {
  const watched = watchCommits(openPlane(daemon, GLOBAL), setImmediate);
  const { plane } = watched;
  const identity = identify(plane);
  const nats = openNats(daemon, GLOBAL);
  const sync = nats && startSync(daemon, plane, identity, nats);
  await serveDiagnostics(daemon, plane, sync, nats);
  await serveApi(daemon, watched, identity, sync);
});
