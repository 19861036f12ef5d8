import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { TYPE_URLS } from '../../src/xds/wire/resource-types.ts';
import { type Daemon, runProgram, startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { node, openXdsStream } from '../harness/xds-client.ts';
import { integrityOf } from './integrity.ts';
import { failingDisk, type DataPlace, smallDisk } from './places.ts';
import { RETRIES, TIMEOUTS, type Version, versionsAt } from './writes.ts';

/**
 * A disk that fails under a real zone. What was acknowledged stays, what could not be written is refused, and nothing
 * has to be started again.
 */

const scope = new Scope();
after(() => scope.close());

const MEGABYTES = 8;
const MANY = 2_000;

const DISKS: Readonly<Record<string, { place: () => DataPlace | undefined; needs: string }>> = {
  'a full disk': { place: () => smallDisk(scope, MEGABYTES), needs: 'no small tmpfs can be mounted here: it takes root' },
  'an I/O error': { place: () => failingDisk(scope), needs: 'there is no prlimit here: it takes Linux' },
};

async function put(daemon: Daemon, document: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}/apply`, { method: 'POST', headers, body: JSON.stringify([document]) });
  return { status: response.status, text: await response.text() };
}

/** Writes until the disk takes no more. Out: what was acknowledged. */
async function writeUntilRefused(east: Daemon): Promise<Map<string, Version>> {
  const acknowledged = new Map<string, Version>();
  for (let version = 1; version <= MANY; version++) {
    const name = `kept-${version % 5}`;
    const { status, text } = await put(east, RETRIES.documentOf(name, version));
    if (status === 200) acknowledged.set(name, version);
    else {
      assert.equal(status, 503, text);
      assert.match(text, /store .*can't be used/);
      return acknowledged;
    }
  }
  throw new Error('nothing was refused');
}

const DATAPLANE = {
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'Dataplane',
  metadata: { name: 'backend', namespace: 'shop' },
  spec: { networking: { address: '127.0.0.1', inbound: [{ name: 'web', port: 8080, servicePort: 8081, protocol: 'http' }] } },
};

/** How a proxy asks a zone for its rules: each time on a new stream, which is one more thing to note of it. */
async function newProxy(zone: Daemon): Promise<() => Promise<string>> {
  assert.equal((await put(zone, DATAPLANE)).status, 200);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ mesh: 'default', dataplane: 'backend.shop', validFor: '1h' });
  const answer = await fetch(`${zone.url}/_proxy-tokens`, { method: 'POST', headers, body });
  const { token, nodeId } = (await answer.json()) as { token: string; nodeId: string };
  const port = zone.log().find(({ msg, component }) => msg === 'listening' && component === 'xds')?.port;
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return async () => {
    const stream = openXdsStream(scope, Number(port), metadata);
    stream.send({ node: node(nodeId), typeUrl: TYPE_URLS.extensions, resourceNamesSubscribe: ['rbac:web'] });
    const { resources } = await stream.at(0);
    assert.equal(resources.length, 1);
    return resources[0]?.version ?? '';
  };
}

const said = (zone: Daemon, text: string): number => zone.log().filter(({ msg }) => msg === `the insights of proxies ${text}`).length;

for (const [what, { place: find, needs }] of Object.entries(DISKS)) {
  test(`${what} under a zone with a proxy: it goes on serving, notes the proxy when it is over, and stops in good order`, async (t) => {
    const place = find();
    if (!place) return t.skip(needs);
    const nats = await startNats(scope);
    const variables = { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_DATA_DIR: `${place.folder}/data` };
    await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
    const east = await startDaemon(scope, 'zone', variables);
    await east.untilReady();
    const ask = await newProxy(east);
    const before = await ask();
    for (const round of [1, 2]) {
      place.break(east.pid);
      await writeUntilRefused(east);
      assert.equal(await ask(), before);
      await until('the zone says that it can not note the proxy', () => said(east, 'can not be written now') === round);
      assert.equal(await ask(), before);
      if (round === 2) break;
      place.repair(east.pid);
      await until('it is noted', () => said(east, 'are written again') === round);
    }
    assert.equal(await east.stop(), 0);
    if (what !== 'a full disk') return;
    const again = runProgram(scope, 'zone', variables);
    assert.equal(await again.exit, 1);
    assert.match(again.lines.join('\n'), /store .*can't be used/);
    place.repair(east.pid);
    assert.equal(await (await newProxy(await east.again()))(), before);
  });
}

for (const [what, { place: find, needs }] of Object.entries(DISKS)) {
  test(`${what} under a zone: writes are refused, reads go on, all is made good when it is over`, async (t) => {
    const place = find();
    if (!place) return t.skip(needs);
    const nats = await startNats(scope);
    const common = { MERIDIAN_NATS_URL: nats.url, NODE_OPTIONS: `--import ${new URL('death.mjs', import.meta.url).href}` };
    const [global, east] = await Promise.all([
      startDaemon(scope, 'global', common),
      startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_DATA_DIR: `${place.folder}/data` }),
    ]);
    await Promise.all([global.untilReady(), east.untilReady()]);
    for (const version of [1, 2]) assert.equal((await put(east, RETRIES.documentOf('kept-0', version))).status, 200);
    place.break(east.pid);
    const acknowledged = await writeUntilRefused(east);
    assert.equal((await put(global, TIMEOUTS.documentOf('meanwhile', 1))).status, 200);
    await until('the zone says that it can not take it', () =>
      east.log().some(({ msg }) => msg === 'the store did not take what a peer sent'),
    );
    const kept = new Map([['kept-0', 2 as Version], ...acknowledged]);
    assert.deepEqual(await versionsAt(east, RETRIES), kept);
    assert.deepEqual(await versionsAt(east, TIMEOUTS), new Map());
    place.repair(east.pid);
    await until('what came meanwhile is there', async () => (await versionsAt(east, TIMEOUTS)).get('meanwhile') === 1);
    assert.equal((await put(east, RETRIES.documentOf('later', 9))).status, 200);
    kept.set('later', 9);
    await until('global has all', async () => (await versionsAt(global, RETRIES)).size === kept.size);
    assert.deepEqual(await versionsAt(global, RETRIES), kept);
    await east.kill();
    assert.equal(integrityOf(scope, east.dataDir), 'ok');
    assert.deepEqual(await versionsAt(await east.again(), RETRIES), kept);
  });
}
