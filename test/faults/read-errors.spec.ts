import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** The file of a store is damaged beneath a running control plane: requests fail, the process goes on. */

const scope = new Scope();
after(() => scope.close());

const headers = { 'content-type': 'application/json' };
/** Together more than what SQLite keeps in memory of a file. */
const [MANY, BYTES] = [60, 400_000];

function timeout(name: string, note: string): string {
  const spec = { targetRef: { kind: 'Mesh' }, to: [{ targetRef: { kind: 'Mesh' }, default: { note } }] };
  return JSON.stringify([{ type: 'MeshTimeout', mesh: 'default', name, spec }]);
}

async function apply({ url }: Daemon, name: string, note: string): Promise<number> {
  return (await fetch(`${url}/apply`, { method: 'POST', headers, body: timeout(name, note) })).status;
}

async function statusOf({ url }: Daemon, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, text: await answer.text() };
}

const ALL = '/meshes/default/meshtimeouts?size=1000';

const inStep = (daemon: Daemon): Promise<true> =>
  until('both are in step', async () => /"upToDate":true/.test((await statusOf(daemon, '/_sync')).text));

test("a store that is cut off beneath a zone, then beneath a global: what it can't read is refused, and it lives", async () => {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const first = await startDaemon(scope, 'global', common);
  const east = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' });
  await east.untilReady();
  for (let index = 0; index < MANY; index++) assert.equal(await apply(first, `t${index}`, 'x'.repeat(BYTES)), 200);
  await until('the zone has all', async () => JSON.parse((await statusOf(east, ALL)).text).total === MANY);
  const zone = await startedAnew(east);
  cutOff(zone);
  await livesOn(zone, () => apply(first, 'meanwhile', 'x'));
  await zone.kill();

  const west = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'west' });
  await west.untilReady();
  const global = await startedAnew(first);
  const [file, bytes] = cutOff(global);
  await livesOn(global, () => apply(west, 'of-west', 'x'));
  writeFileSync(file, bytes);
  await until('it reads again', async () => (await statusOf(global, ALL)).status === 200);
});

/** So that it has read nothing yet. */
async function startedAnew(daemon: Daemon): Promise<Daemon> {
  assert.equal(await daemon.stop(), 0);
  const again = await daemon.again();
  await inStep(again);
  return again;
}

/** Out: the file of the store, and what was in it. */
function cutOff({ dataDir }: Daemon): [file: string, bytes: Buffer] {
  const file = join(dataDir, 'meridian.db');
  const bytes = readFileSync(file);
  truncateSync(file, 64 * 1024);
  return [file, bytes];
}

/** `meanwhile`: what it hears of the other one meets the damage too, and does not end it. */
async function livesOn(damaged: Daemon, meanwhile: () => Promise<number>): Promise<void> {
  await until('it can not read', async () => (await statusOf(damaged, ALL)).status === 503);
  const { text } = await statusOf(damaged, ALL);
  assert.match(text, /"code":"unavailable"/);
  assert.equal((await fetch(`${damaged.diagnosticsUrl}/healthy`)).status, 200);
  assert.equal(await meanwhile(), 200);
  for (let ask = 0; ask < 20; ask++) assert.equal((await statusOf(damaged, ALL)).status, 503);
  assert.ok(damaged.running());
}
