import assert from 'node:assert/strict';
import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { type Daemon, runProgram, startDaemon } from './harness/daemon.ts';
import { SILENCE } from '../src/kds/protocol.ts';
import { type Nats, startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

/** Closed with the test: daemons that nobody looks at any more go on taking time. */
function ownScope(t: TestContext): Scope {
  const scope = new Scope();
  t.after(() => scope.close());
  return scope;
}

async function metricsOf(diagnosticsUrl: string): Promise<string> {
  const response = await fetch(`${diagnosticsUrl}/metrics`);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  return response.text();
}

async function meshesOf(url: string): Promise<string[]> {
  const response = await fetch(`${url}/meshes`);
  const { items } = (await response.json()) as { items: { name: string }[] };
  return items.map(({ name }) => name);
}

async function putMesh(url: string, name: string): Promise<void> {
  const body = JSON.stringify({ type: 'Mesh', name });
  const put = await fetch(`${url}/meshes/${name}`, { method: 'PUT', body, headers: { 'content-type': 'application/json' } });
  assert.equal(put.status, 201, await put.text());
}

function zone(name: string, natsUrl: string, more: Readonly<Record<string, string>> = {}) {
  return { MERIDIAN_ZONE_NAME: name, MERIDIAN_NATS_URL: natsUrl, ...more };
}

describe('a global and a zone', () => {
  const scope = new Scope();
  after(() => scope.close());
  let nats: Nats;
  let global: Daemon;
  let east: Daemon;
  before(async () => {
    nats = await startNats(scope);
    [global, east] = await Promise.all([
      startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url }),
      startDaemon(scope, 'zone', zone('east', nats.url)),
    ]);
    await Promise.all([global.untilReady(), east.untilReady()]);
  });

  test('global knows at once that a zone was stopped, and that it is back', async () => {
    const seen = async (online: boolean) =>
      until(`east is ${online ? 'online' : 'away'}`, async () => {
        const { peers } = (await (await fetch(`${global.url}/_sync`)).json()) as { peers: { online: boolean; lastSeen: string }[] };
        return peers.find((peer) => peer.online === online)?.lastSeen;
      });
    await seen(true);
    assert.equal(await east.stop(), 0);
    const lastSeen = await seen(false);
    const silentFor = Date.now() - Date.parse(lastSeen);
    assert.ok(silentFor < SILENCE, `it was heard ${silentFor} ms ago: else silence would tell the same`);
    east = await east.again();
    await east.untilReady();
    await seen(true);
  });

  test('a second store that speaks for a zone is refused, and the first is not disturbed', async () => {
    const other = await startDaemon(scope, 'zone', zone('east', nats.url));
    await until('the other is told', async () => (await other.ready()).reasons.some((reason) => reason.startsWith('store-changed')));
    assert.deepEqual((await east.ready()).reasons, []);
    await other.kill();
  });

  test('an empty second global ends nothing: both warn, and the zone goes on with the first', async () => {
    // Started more often than the first, on a volume of its own.
    const idle = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: '' });
    await idle.stop();
    const other = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url, MERIDIAN_DATA_DIR: idle.dataDir });
    const warns = async (daemon: Daemon, text: RegExp) => text.test((await daemon.ready()).warnings.join());
    await until('the zone refuses the other', () =>
      warns(east, /global: store .* speaks for an identity that belongs to store .*; it is refused/),
    );
    await until('both say so', async () => (await warns(global, /speaks as global too/)) && (await warns(other, /speaks as global too/)));
    const heardAgain = async () =>
      /meridian_peer_incidents_total\{.*another store speaks as global.*\} [3-9]/.test(await metricsOf(global.diagnosticsUrl));
    await until('the first heard the other again, well after', heardAgain);
    assert.deepEqual([(await global.ready()).status, (await east.ready()).status], [200, 200]);
    await putMesh(global.url, 'payments');
    await until('east has what the first says', async () => (await meshesOf(east.url)).includes('payments'));
    await other.kill();
  });

  test('of two processes on copies of one store only one goes on', async () => {
    assert.equal(await east.stop(), 0);
    const copy = join(scope.folder(), 'copy');
    cpSync(east.dataDir, copy, { recursive: true });
    const both = [await east.again(), await startDaemon(scope, 'zone', zone('east', nats.url, { MERIDIAN_DATA_DIR: copy }))];
    await until('one is superseded and the other ready', async () => {
      const states = await Promise.all(both.map((one) => one.ready()));
      const superseded = states.filter(({ reasons }) => reasons.some((reason) => reason.startsWith('superseded')));
      return superseded.length === 1 && states.filter(({ ready }) => ready).length === 1;
    });
  });
});

test('global and two zones come up, exchange, work without NATS, and stop', async (t) => {
  const scope = ownScope(t);
  const nats = await startNats(scope);
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url }),
    startDaemon(scope, 'zone', zone('east', nats.url)),
    startDaemon(scope, 'zone', zone('west', nats.url, { MERIDIAN_ENVIRONMENT: 'universal' })),
  ]);
  for (const daemon of [global, east, west]) {
    const ready = await daemon.untilReady();
    assert.deepEqual([ready.status, ready.reasons], [200, []]);
    assert.equal((await fetch(`${daemon.diagnosticsUrl}/healthy`)).status, 200);
    assert.deepEqual(await meshesOf(daemon.url), ['default']);
  }
  await until('global sees both zones up to date', async () => {
    const metrics = await metricsOf(global.diagnosticsUrl);
    return ['east', 'west'].every((peer) => metrics.includes(`meridian_peer_up_to_date{peer="${peer}"} 1`));
  });
  const metrics = await metricsOf(east.diagnosticsUrl);
  for (const line of ['meridian_nats_connected 1', 'meridian_peer_online{peer="global"} 1', 'meridian_refused{peer="global"} 0']) {
    assert.ok(metrics.includes(line), `${line} in ${metrics}`);
  }
  assert.match(metrics, /^meridian_resources\{type="Mesh"\} 1$/m);
  assert.match(metrics, /^process_cpu_seconds_total /m);
  await putMesh(global.url, 'payments');
  for (const { url } of [east, west])
    await until('a zone has what is committed at global', async () => (await meshesOf(url)).includes('payments'));

  await nats.stop();
  await until('east says that NATS is away', async () => {
    const { ready, warnings } = await east.ready();
    assert.equal(ready, true);
    return warnings.some((warning) => warning.startsWith('NATS is away'));
  });
  assert.match(await metricsOf(east.diagnosticsUrl), /^meridian_nats_connected 0$/m);
  await nats.start();
  await until('east is back', async () => (await east.ready()).warnings.length === 0);

  for (const daemon of [west, east, global]) {
    assert.equal(await daemon.stop(), 0);
    assert.equal(daemon.log().at(-1)?.msg, 'stopped');
  }
});

test('a zone without global denies, and a zone that knows it starts without NATS', async (t) => {
  const scope = ownScope(t);
  const nats = await startNats(scope);
  const east = await startDaemon(scope, 'zone', zone('east', nats.url));
  const { status, reasons } = await east.ready();
  assert.equal(status, 503);
  assert.match(reasons.join(), /first scan/);
  const global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  await east.untilReady();
  await east.kill();
  await nats.stop();
  const again = await east.again();
  const ready = await again.ready();
  assert.deepEqual([ready.ready, ready.reasons], [true, []]);
  assert.match(ready.warnings.join(), /NATS is away/);
  assert.deepEqual(await meshesOf(again.url), ['default']);
  assert.equal(await global.stop(), 0);
});

describe('wrong use ends at once', () => {
  const scope = new Scope();
  after(() => scope.close());
  const refused: readonly [what: string, env: Readonly<Record<string, string>>, says: RegExp][] = [
    [
      'a port that is none, and no zone name',
      { MERIDIAN_API_PORT: 'http' },
      /apiPort \(MERIDIAN_API_PORT\) must be[\s\S]*zoneName \(MERIDIAN_ZONE_NAME\) must be set/,
    ],
    ['a NATS elsewhere without credentials', zone('east', 'nats://192.0.2.1:4222'), /MERIDIAN_ALLOW_INSECURE/],
    ['a NATS port that is none', zone('east', 'nats://127.0.0.1:99999'), /MERIDIAN_NATS_URL is not a URL/],
  ];
  for (const [what, env, says] of refused) {
    test(what, async () => {
      const child = runProgram(scope, 'zone', { MERIDIAN_DATA_DIR: scope.folder(), ...env });
      assert.equal(await child.exit, 2, child.lines.join('\n'));
      assert.match(child.lines.join('\n'), says);
    });
  }

  test('an unknown key and a zone called global, an argument that is none, a file that is not there', async () => {
    const file = join(scope.folder(), 'zone.yaml');
    writeFileSync(file, 'zoneName: global\nenvironmnt: universal\n');
    for (const [args, says] of [
      [['-c', file], /environmnt is not a key here[\s\S]*zoneName \(MERIDIAN_ZONE_NAME\) must be/],
      [['--nonsense'], /--nonsense/],
      [['-c', `${file}.none`], /ENOENT/],
    ] as const) {
      const child = runProgram(scope, 'zone', {}, args);
      assert.equal(await child.exit, 2);
      assert.match(child.lines.join('\n'), says);
    }
  });

  test('a second process on one data directory, or another place for a store that has one: that of a zone which stands alone', async () => {
    const east = await startDaemon(scope, 'zone', zone('east', ''));
    const { status, warnings } = await east.ready();
    assert.equal(status, 200);
    assert.match(warnings.join(), /no NATS/);
    assert.doesNotMatch(await metricsOf(east.diagnosticsUrl), /^meridian_nats_connected /m);
    const second = runProgram(scope, 'zone', { ...zone('east', ''), MERIDIAN_DATA_DIR: east.dataDir });
    assert.equal(await second.exit, 1);
    assert.match(second.lines.join('\n'), /in use by another process/);
    assert.equal((await east.ready()).status, 200);
    assert.equal(await east.stop(), 0);
    for (const change of [{ MERIDIAN_ZONE_NAME: 'west' }, { MERIDIAN_ENVIRONMENT: 'universal' }, { MERIDIAN_SYSTEM_NAMESPACE: 'other' }]) {
      const child = runProgram(scope, 'zone', { ...zone('east', ''), MERIDIAN_DATA_DIR: east.dataDir, ...change });
      assert.equal(await child.exit, 2);
      assert.match(child.lines.join('\n'), new RegExp(Object.keys(change)[0] ?? ''));
    }
    const global = runProgram(scope, 'global', { MERIDIAN_NATS_URL: '', MERIDIAN_DATA_DIR: east.dataDir });
    assert.equal(await global.exit, 2);
    assert.equal((await (await east.again()).ready()).status, 200);
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    scope.add(() => void taken.close());
    await until('listening', () => taken.listening);
    const bound = taken.address();
    const port = String(typeof bound === 'object' && bound !== null ? bound.port : 0);
    for (const variable of ['MERIDIAN_DIAGNOSTICS_PORT', 'MERIDIAN_API_PORT']) {
      const child = runProgram(scope, 'zone', { ...zone('east', ''), MERIDIAN_DATA_DIR: scope.folder(), [variable]: port });
      assert.equal(await child.exit, 1);
      assert.match(child.lines.join('\n'), new RegExp(variable));
    }
  });
});

test('an insecure NATS is allowed by word, and said', async (t) => {
  const scope = ownScope(t);
  const east = await startDaemon(scope, 'zone', zone('east', 'nats://192.0.2.1:4222', { MERIDIAN_ALLOW_INSECURE: 'true' }));
  assert.ok((await east.ready()).warnings.some((warning) => warning.includes('no credentials')));
  assert.ok(east.log().some(({ level, msg }) => level === 'warn' && msg.includes('no credentials')));
  assert.equal(await east.stop(), 0);
});

test('a credentials file that others may read is said; one that is not there does not end the process', async (t) => {
  const scope = ownScope(t);
  const file = join(scope.folder(), 'east.creds');
  writeFileSync(file, 'nothing');
  chmodSync(file, 0o644);
  const east = await startDaemon(scope, 'zone', zone('east', 'nats://127.0.0.1:1', { MERIDIAN_NATS_CREDS: file }));
  assert.ok(east.log().some(({ level, msg }) => level === 'warn' && msg.includes(file)));
  const west = await startDaemon(scope, 'zone', zone('west', 'nats://127.0.0.1:1', { MERIDIAN_NATS_CREDS: `${file}.none` }));
  await until('west says why', async () => (await west.ready()).warnings.some((warning) => warning.includes(`${file}.none`)));
});

test('the mesh default is made once: not by a global that is started again. Its diagnostics answer whom its API answers', async (t) => {
  const scope = ownScope(t);
  const first = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: '' });
  assert.equal((await fetch(`${first.url}/meshes/default`, { method: 'DELETE' })).status, 200);
  assert.equal(await first.stop(), 0);
  const global = await first.again({ MERIDIAN_API_HOSTNAMES: 'Global.example' });
  assert.deepEqual(await meshesOf(global.url), []);
  const { host: own } = new URL(global.diagnosticsUrl);
  const statusFor = (path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = request(`${global.diagnosticsUrl}${path}`, { headers }, (response) => resolve(response.resume().statusCode ?? 0));
      asked.on('error', reject).end();
    });
  const cases: [headers: Record<string, string>, status: number][] = [
    [{}, 200],
    [{ host: 'localhost:5680' }, 200],
    [{ host: '10.1.2.3:5680' }, 200],
    [{ host: 'global.example:5680' }, 200],
    [{ host: 'evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ origin: `http://${own}` }, 200],
    [{ origin: 'http://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 200],
  ];
  for (const [headers, status] of cases) {
    for (const path of ['/healthy', '/metrics']) assert.equal(await statusFor(path, headers), status, JSON.stringify([path, headers]));
  }
});
