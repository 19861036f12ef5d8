import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Plane } from '../src/control/plane/plane.ts';
import type { Draft } from '../src/resource/resource.ts';
import { startDaemon } from '../test/harness/daemon.ts';
import type { Scope } from '../test/harness/scope.ts';
import { policy } from './system.ts';
import { openTestStore } from '../test/harness/test-store.ts';
import { writeDrafts } from '../test/harness/write-drafts.ts';

const RESOURCES = 100_000;

/** Fills a zone's store, then measures how long opening it takes, and starting the daemon on it. */
export async function startHundredThousand(scope: Scope, report: (what: string, figure: string) => void): Promise<void> {
  const dataDir = join(scope.folder(), 'data');
  fill(dataDir);
  const opening = performance.now();
  open(dataDir).close();
  report(`opening a store of ${RESOURCES} resources`, `${(performance.now() - opening).toFixed(0)} ms`);
  const starting = performance.now();
  const daemon = await startDaemon(scope, 'global', { MERIDIAN_DATA_DIR: dataDir, MERIDIAN_NATS_URL: '' });
  await daemon.untilReady();
  report(
    '… starting global on it, until it is ready (the process and its modules included)',
    `${(performance.now() - starting).toFixed(0)} ms`,
  );
  await daemon.stop();
}

function open(dataDir: string) {
  return openTestStore(join(dataDir, 'meridian.db'), () => randomBytes(16).toString('hex'));
}

function fill(dataDir: string): void {
  const store = open(dataDir);
  const plane: Plane = { place: { zone: '', environment: 'universal', systemNamespace: '' }, store, now: () => new Date().toISOString() };
  writeDrafts(plane, [{ type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} }]);
  for (let from = 0; from < RESOURCES; from += 10_000) {
    writeDrafts(
      plane,
      Array.from({ length: 10_000 }, (_, index): Draft => ({ ...policy(from + index, 'v0'), namespace: undefined, labels: {} })),
    );
  }
  store.close();
}
