import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Daemon, startDaemon } from './harness/daemon.ts';
import { startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

/**
 * Real processes die (SIGKILL) in the middle of a stream of changes: global, a zone, NATS. In the end all is where it
 * belongs, nothing that did not change was rewritten, nothing went that nobody deleted.
 */

const scope = new Scope();
after(() => scope.close());

interface ListedItem {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly creationTime: string;
  readonly modificationTime: string;
  readonly spec: unknown;
}

const POLICIES = 15;
const ROUNDS = 24;

function timeouts(prefix: string, version: number): unknown[] {
  return Array.from({ length: POLICIES }, (_, index) => ({
    type: 'MeshTimeout',
    mesh: 'default',
    name: `${prefix}-${index}`,
    spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: `${version}s` } }] },
  }));
}

function producers(prefix: string, version: number): unknown[] {
  return Array.from({ length: POLICIES }, (_, index) => ({
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshRetry',
    metadata: { name: `${prefix}-${index}`, namespace: 'app' },
    spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: { tcp: { maxConnectAttempt: version } } }] },
  }));
}

async function apply(daemon: Daemon, documents: readonly unknown[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}/apply`, { method: 'POST', headers, body: JSON.stringify(documents) });
  assert.equal(response.status, 200, await response.text());
}

async function list(daemon: Daemon, path: string): Promise<readonly ListedItem[]> {
  const response = await fetch(`${daemon.url}/meshes/default/${path}?size=1000`);
  return ((await response.json()) as { items: ListedItem[] }).items;
}

function displayNames(items: readonly ListedItem[]): readonly string[] {
  return items.map(({ labels }) => labels['kuma.io/display-name'] ?? '').sort();
}

function saysEverywhere(items: readonly ListedItem[], prefix: string, text: string): boolean {
  const concerned = items.filter(({ labels }) => labels['kuma.io/display-name']?.startsWith(`${prefix}-`));
  return concerned.length === POLICIES && concerned.every(({ spec }) => JSON.stringify(spec).includes(text));
}

test('global, a zone and NATS die in a stream of changes', async () => {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  let global = await startDaemon(scope, 'global', common);
  const east = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' });
  let west = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'west' });
  await Promise.all([global.untilReady(), east.untilReady(), west.untilReady()]);
  await apply(global, [...timeouts('steady', 1), ...timeouts('moving', 0)]);
  await apply(east, [...producers('steady', 1), ...producers('moving', 0)]);
  await until('the steady ones are in west', async () => saysEverywhere(await list(west, 'meshretries'), 'steady', '1'));
  await until('those of global too', async () => saysEverywhere(await list(west, 'meshtimeouts'), 'steady', '1s'));
  const arrivedAt = new Map((await list(west, 'meshretries')).map((item) => [item.name, item.modificationTime]));

  for (let round = 1; round <= ROUNDS; round++) {
    if (round === 6) await global.kill();
    if (round === 9) global = await global.again();
    if (round === 12) await nats.stop();
    if (round === 15) await nats.start();
    if (round === 18) await west.kill();
    if (round === 21) west = await west.again();
    await apply(east, producers('moving', round));
    if (global.running()) await apply(global, timeouts('moving', round));
  }

  await until('the last producers are in west', async () => saysEverywhere(await list(west, 'meshretries'), 'moving', `:${ROUNDS}}`));
  await until('the last timeouts are in west', async () => saysEverywhere(await list(west, 'meshtimeouts'), 'moving', `"${ROUNDS}s"`));
  await until('the last timeouts are in east', async () => saysEverywhere(await list(east, 'meshtimeouts'), 'moving', `"${ROUNDS}s"`));
  await until('the last producers are at global', async () => saysEverywhere(await list(global, 'meshretries'), 'moving', `:${ROUNDS}}`));

  const expected = ['steady', 'moving'].flatMap((prefix) => Array.from({ length: POLICIES }, (_, index) => `${prefix}-${index}`)).sort();
  for (const plane of [global, east, west]) {
    for (const path of ['meshretries', 'meshtimeouts']) assert.deepEqual(displayNames(await list(plane, path)), expected);
    const steady = [...(await list(plane, 'meshretries')), ...(await list(plane, 'meshtimeouts'))].filter(({ labels }) =>
      labels['kuma.io/display-name']?.startsWith('steady'),
    );
    for (const item of steady) assert.equal(item.modificationTime, item.creationTime, `${item.name} was rewritten`);
  }
  for (const { name, modificationTime } of (await list(west, 'meshretries')).filter((item) => item.name.startsWith('steady'))) {
    assert.equal(modificationTime, arrivedAt.get(name), `${name} was written again`);
  }
});
