import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { TYPE_URLS } from '../../src/xds/wire/resource-types.ts';
import { type Daemon, runProgram, startDaemon } from '../harness/daemon.ts';
import { type Nats, startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { node, openXdsStream } from '../harness/xds-client.ts';

/** A zone's store is damaged, or all others are away when it starts: it never lets in whom its policies keep out. */

const scope = new Scope();
after(() => scope.close());

const [WEB, EVIL] = ['spiffe://td/ns/shop/sa/web', 'spiffe://td/ns/shop/sa/evil'];

/** Global's: everybody of the trust domain but one. */
const PERMISSION = {
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name: 'all-but-evil',
  spec: {
    targetRef: { kind: 'Mesh' },
    rules: [
      {
        default: { allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td' } }], deny: [{ spiffeId: { type: 'Exact', value: EVIL } }] },
      },
    ],
  },
};

const DATAPLANE = {
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'Dataplane',
  metadata: { name: 'backend', namespace: 'shop' },
  spec: {
    networking: {
      address: '127.0.0.1',
      inbound: [{ name: 'web', port: 8080, servicePort: 8081, protocol: 'http', tags: { 'kuma.io/service': 'backend' } }],
    },
  },
};

interface DamagedSystem {
  readonly nats: Nats;
  readonly global: Daemon;
  readonly east: Daemon;
}

async function start(): Promise<DamagedSystem> {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const [global, east] = await Promise.all([
    startDaemon(scope, 'global', common),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' }),
  ]);
  await east.untilReady();
  await post(global, '/apply', [PERMISSION]);
  await post(east, '/apply', [DATAPLANE]);
  await until('the zone enforces it', async () => (await decisions(east)) === 'web: Allow, evil: Deny');
  return { nats, global, east };
}

async function send(daemon: Daemon, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, text: await response.text() };
}

async function post(daemon: Daemon, path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, text } = await send(daemon, path, body);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Record<string, unknown>;
}

/** Without a mesh there is no proxy: none is answered for, none can be made. */
async function assertServesNobody(zone: Daemon): Promise<void> {
  const { reasons } = await zone.ready();
  assert.match(reasons.join(), /first scan .* not complete: until then everything is denied/);
  assert.equal((await send(zone, '/apply', [DATAPLANE])).status, 404);
  assert.equal((await send(zone, '/can', { from: { spiffeId: WEB }, to: { mesh: 'default', dataplane: 'backend.shop' } })).status, 404);
}

async function decisions(daemon: Daemon): Promise<string> {
  const ask = (spiffeId: string) => post(daemon, '/can', { from: { spiffeId }, to: { mesh: 'default', dataplane: 'backend.shop' } });
  const [web, evil] = await Promise.all([ask(WEB), ask(EVIL)]);
  return `web: ${String(web.decision)}, evil: ${String(evil.decision)}`;
}

/** The RBAC that the zone sends to the Dataplane's proxy: the bytes of the message. */
async function rbacOf(daemon: Daemon, token: string, id: string): Promise<string> {
  const line = daemon.log().find(({ msg, component }) => msg === 'listening' && component === 'xds');
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const stream = openXdsStream(scope, Number(line?.port), metadata);
  stream.send({ node: node(id), typeUrl: TYPE_URLS.extensions, resourceNamesSubscribe: ['rbac:web'] });
  const { resources } = await stream.at(0);
  const [{ resource } = {}] = resources as readonly { resource?: { value: Uint8Array } }[];
  assert.ok(resource);
  return Buffer.from(resource.value).toString('latin1');
}

/** Spoils the file of a store that is closed. */
const DAMAGE: Readonly<Record<string, (bytes: Buffer) => void>> = {
  'a page is overwritten'(bytes) {
    const page = Math.floor(bytes.indexOf(EVIL) / 4096) * 4096;
    bytes.fill(0xa5, page, page + 4096);
  },
  'one bit of a denied identity is turned': (bytes) => {
    for (let at = bytes.indexOf(EVIL); at >= 0; at = bytes.indexOf(EVIL, at + 1))
      bytes.writeUInt8(bytes.readUInt8(at + EVIL.length - 1) ^ 1, at + EVIL.length - 1);
  },
};

for (const [what, spoil] of Object.entries(DAMAGE)) {
  test(`${what}: the zone says so and does not start; without the file it serves nobody until global is there, then is as before`, async () => {
    const { nats, global, east } = await start();
    assert.equal(await east.stop(), 0);
    const file = join(east.dataDir, 'meridian.db');
    const bytes = readFileSync(file);
    spoil(bytes);
    writeFileSync(file, bytes);
    const damaged = runProgram(scope, 'zone', { MERIDIAN_ZONE_NAME: 'east', MERIDIAN_NATS_URL: nats.url, MERIDIAN_DATA_DIR: east.dataDir });
    assert.equal(await damaged.exit, 1);
    assert.match(damaged.lines.join('\n'), /meridian\.db is damaged[^]*move the file away/);
    assert.ok(readFileSync(file).equals(bytes), 'it is left as it is');

    renameSync(file, `${file}.damaged`);
    for (const side of ['-wal', '-shm']) rmSync(`${file}${side}`, { force: true });
    await nats.stop();
    const again = await east.again();
    await assertServesNobody(again);
    await nats.start();
    await until('global refuses the new store', async () =>
      (await again.ready()).reasons.some((reason) => reason.startsWith('store-changed')),
    );
    await assertServesNobody(again);
    await post(global, '/_recover', { acceptStore: 'east' });
    await until('its proxies can come back', async () => (await send(again, '/apply', [DATAPLANE])).status === 200);
    assert.equal(await decisions(again), 'web: Allow, evil: Deny');
    await again.untilReady();
  });
}

test('a zone that is started with global and NATS away serves its last rules', async (t) => {
  const { nats, global, east } = await start();
  const { token, nodeId } = await post(east, '/_proxy-tokens', { mesh: 'default', dataplane: 'backend.shop', validFor: '1h' });
  const before = await rbacOf(east, String(token), String(nodeId));
  assert.ok(before.includes(EVIL));
  await Promise.all([east.kill(), global.kill(), nats.stop()]);
  const began = performance.now();
  const again = await east.again();
  assert.equal(await rbacOf(again, String(token), String(nodeId)), before);
  t.diagnostic(`served ${((performance.now() - began) / 1000).toFixed(2)} s after its process was started`);
  assert.equal(await decisions(again), 'web: Allow, evil: Deny');
  const { ready, warnings } = await again.ready();
  assert.equal(ready, true);
  assert.match(warnings.join(), /NATS is away/);
});
