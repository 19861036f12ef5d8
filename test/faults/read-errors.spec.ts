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

for (const role of ['global', 'zone'] as const) {
  test(`a store that is cut off beneath a ${role}: what it can't read is refused, and it lives`, async () => {
    const nats = await startNats(scope);
    const common = { MERIDIAN_NATS_URL: nats.url };
    const first = await startDaemon(scope, 'global', common);
    const zone = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' });
    await zone.untilReady();
    for (let index = 0; index < MANY; index++) assert.equal(await apply(first, `t${index}`, 'x'.repeat(BYTES)), 200);
    await until('the zone has all', async () => JSON.parse((await statusOf(zone, ALL)).text).total === MANY);

    const stopped = role === 'global' ? first : zone;
    assert.equal(await stopped.stop(), 0);
    const damaged = await stopped.again();
    const other = role === 'global' ? zone : first;
    await until('both are in step', async () => /"upToDate":true/.test((await statusOf(damaged, '/_sync')).text));
    const file = join(damaged.dataDir, 'meridian.db');
    const bytes = readFileSync(file);
    truncateSync(file, 64 * 1024);

    await until('it can not read', async () => (await statusOf(damaged, ALL)).status === 503);
    const { text } = await statusOf(damaged, ALL);
    assert.match(text, /"code":"unavailable"/);
    assert.equal((await fetch(`${damaged.diagnosticsUrl}/healthy`)).status, 200);
    // What it hears of the other one meets the damage too, and does not end it.
    assert.equal(await apply(role === 'global' ? other : first, 'meanwhile', 'x'), 200);
    for (let ask = 0; ask < 20; ask++) assert.equal((await statusOf(damaged, ALL)).status, 503);
    assert.ok(damaged.running());

    // A zone has written meanwhile: what is beneath it does not fit any more.
    if (role === 'zone') return;
    writeFileSync(file, bytes);
    await until('it reads again', async () => (await statusOf(damaged, ALL)).status === 200);
  });
}
