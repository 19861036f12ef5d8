import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Daemon, startDaemon } from './harness/daemon.ts';
import { type Nats, startNats } from './harness/nats.ts';
import { Scope } from './harness/scope.ts';
import { until } from './harness/until.ts';

const scope = new Scope();
after(() => scope.close());

/** A policy whose item has about so many bytes. */
async function put({ url }: Daemon, name: string, bytes: number): Promise<void> {
  const spec = { targetRef: { kind: 'Mesh' }, to: [{ targetRef: { kind: 'Mesh' }, default: { note: '✓'.repeat(bytes / 3) } }] };
  const body = JSON.stringify({ type: 'MeshTimeout', mesh: 'default', name, spec });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/meshes/default/meshtimeouts/${name}`, { method: 'PUT', body, headers });
  assert.ok(answer.ok, await answer.text());
}

async function holds({ url }: Daemon, name: string): Promise<boolean> {
  const answer = await fetch(`${url}/meshes/default/meshtimeouts`);
  const { items } = (await answer.json()) as { items: { name: string; labels?: Record<string, string> }[] };
  return items.some((item) => item.name === name || item.labels?.['kuma.io/display-name'] === name);
}

/** How `of` stands with its peers, from its own view. */
async function sync(of: Daemon): Promise<{ upToDate: boolean; unsent: string | null }[]> {
  const answer = await fetch(`${of.url}/_sync`);
  return ((await answer.json()) as { peers: { upToDate: boolean; unsent: string | null }[] }).peers;
}

async function startPair(atGlobal: Nats, atZone: Nats): Promise<{ global: Daemon; east: Daemon }> {
  const [global, east] = await Promise.all([
    startDaemon(scope, 'global', { MERIDIAN_NATS_URL: atGlobal.url }),
    startDaemon(scope, 'zone', { MERIDIAN_ZONE_NAME: 'east', MERIDIAN_NATS_URL: atZone.url }),
  ]);
  await east.untilReady();
  return { global, east };
}

/** Both ways: what fits, and what is larger than the server's limit. */
async function carries({ global, east }: { global: Daemon; east: Daemon }): Promise<void> {
  for (const [name, bytes] of [
    ['small', 90],
    ['large', 100_000],
    ['largest', 400_000],
  ] as const) {
    await put(global, `global-${name}`, bytes);
    await put(east, `east-${name}`, bytes);
  }
  for (const name of ['small', 'large', 'largest']) {
    await until(`east has global's ${name}`, () => holds(east, `global-${name}`));
    await until(`global has east's ${name}`, () => holds(global, `east-${name}`));
  }
  for (const daemon of [global, east]) {
    await until('all adds up, and nothing is warned of', async () => {
      const peers = await sync(daemon);
      return (
        peers.length === 1 &&
        peers.every(({ upToDate, unsent }) => upToDate && unsent === null) &&
        (await daemon.ready()).warnings.length === 0
      );
    });
  }
}

test('a NATS server that carries 1KB at once carries everything', async () => {
  const nats = await startNats(scope, 'max_payload: 1KB');
  const pair = await startPair(nats, nats);
  await carries(pair);
  for (const daemon of Object.values(pair)) await daemon.stop();
});

for (const [hub, leaf] of [
  ['1MB', '16KB'],
  ['16KB', '1MB'],
] as const) {
  test(`a leaf node with ${leaf} at a hub with ${hub} carries everything, and stays connected`, async () => {
    const listen = 'leafnodes { host: 127.0.0.1, port: -1 }';
    const above = await startNats(scope, `max_payload: ${hub}\n${listen}`);
    const port = above
      .lines()
      .map((line) => /leafnode connections on .*:(\d+)$/.exec(line)?.[1])
      .find((found) => found !== undefined);
    const below = await startNats(scope, `max_payload: ${leaf}\nleafnodes { remotes: [{ url: "nats-leaf://127.0.0.1:${port}" }] }`);
    const pair = await startPair(above, below);
    await carries(pair);
    for (const { lines } of [above, below])
      assert.deepEqual(
        lines().filter((line) => /payload exceeded/i.test(line)),
        [],
      );
    for (const daemon of Object.values(pair)) await daemon.stop();
  });
}

/** Until /ready has such a warning, whether the daemon is ready or not. */
function warns(daemon: Daemon, pattern: RegExp): Promise<string> {
  return until(`a warning ${pattern}`, async () => (await daemon.ready()).warnings.find((one) => pattern.test(one)));
}

function permissions(publish: string, subscribe: string): string {
  const user = `{ user: u, password: p, permissions: { publish: ["${publish}"], subscribe: ["${subscribe}"] } }`;
  return `authorization { users: [${user}] }\nno_auth_user: u`;
}

for (const [what, configuration, pattern] of [
  ['carries too little', 'max_payload: 512', /max_payload is 512 there, and must be 1024 at least/],
  ['lets nobody speak', permissions('nothing', '>'), /Permissions Violation for Publish/],
  ['lets nobody hear', permissions('>', 'nothing'), /Permissions Violation for Subscription/],
  ['grants one subscription', 'max_subscriptions: 1', /maximum subscriptions exceeded/],
] as const) {
  test(`a NATS server that ${what}: /ready says so`, async () => {
    const nats = await startNats(scope, configuration);
    const common = { MERIDIAN_NATS_URL: nats.url };
    if (what === 'grants one subscription') return void (await warns(await startDaemon(scope, 'global', common), pattern));
    const east = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' });
    await warns(east, pattern);
    if (what === 'lets nobody hear') return;
    assert.match((await sync(east))[0]?.unsent ?? '', pattern);
  });
}
