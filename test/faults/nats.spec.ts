import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { freePorts } from '../harness/envoy.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { type WrittenKind, RETRIES, TIMEOUTS, versionsAt } from './writes.ts';

const scope = new Scope();
after(() => scope.close());

async function ask(daemon: Daemon, method: string, path: string, body?: unknown): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(`${daemon.url}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  assert.equal(response.status, 200, await response.text());
}

const apply = (daemon: Daemon, { documentOf }: WrittenKind, ...names: string[]) =>
  ask(
    daemon,
    'POST',
    '/apply',
    names.map((name) => documentOf(name, 1)),
  );
const remove = (daemon: Daemon, { path, nameAt }: WrittenKind, name: string) =>
  ask(daemon, 'DELETE', `/meshes/default/${path}/${nameAt(name)}`);

async function timesAt(daemon: Daemon, { path }: WrittenKind): Promise<unknown[]> {
  const { items } = (await (await fetch(`${daemon.url}/meshes/default/${path}`)).json()) as { items: Record<string, unknown>[] };
  return items.map(({ name, creationTime, modificationTime }) => [name, creationTime, modificationTime]);
}

test('what is deleted while a zone is away and NATS loses all that it has goes; what stays is not written again', async () => {
  const streams = join(scope.folder(), 'streams');
  mkdirSync(streams);
  const nats = await startNats(scope, `jetstream { store_dir: "${streams}" }`);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', common),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' }),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'west' }),
  ]);
  await Promise.all([global, east, west].map((daemon) => daemon.untilReady()));
  await apply(global, TIMEOUTS, 'kept', 'gone');
  await apply(east, RETRIES, 'kept', 'gone');
  for (const kind of [TIMEOUTS, RETRIES]) await until('west has both', async () => (await versionsAt(west, kind)).size === 2);
  await remove(east, RETRIES, 'gone');
  await until('global knows', async () => (await versionsAt(global, RETRIES)).size === 1);
  await west.kill();
  await remove(global, TIMEOUTS, 'gone');
  await nats.stop();
  rmSync(streams, { recursive: true });
  await nats.start();
  const again = await west.again();
  for (const kind of [TIMEOUTS, RETRIES]) {
    await until('what was deleted is gone', async () => !(await versionsAt(again, kind)).has('gone'));
    assert.deepEqual([...(await versionsAt(again, kind)).keys()], ['kept']);
    for (const time of await timesAt(again, kind)) assert.deepEqual((time as unknown[])[1], (time as unknown[])[2], 'not written again');
  }
  await apply(east, RETRIES, 'new');
  await until('all is in step', async () => (await versionsAt(again, RETRIES)).has('new'));
});

test('of two servers of a cluster one dies, and then the other: control planes with both as seeds go on', async () => {
  const [first = 0, second = 0] = await freePorts(2);
  const routes = (own: number, other: number) =>
    `cluster { name: c, host: 127.0.0.1, port: ${own}, no_advertise: true, routes: [nats://127.0.0.1:${other}] }`;
  const servers = [await startNats(scope, routes(first, second)), await startNats(scope, routes(second, first))];
  const common = { MERIDIAN_NATS_URL: servers.map(({ url }) => url).join(',') };
  const [global, east] = await Promise.all([
    startDaemon(scope, 'global', common),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' }),
  ]);
  await Promise.all([global, east].map((daemon) => daemon.untilReady()));
  for (const [index, server] of servers.entries()) {
    await server.stop();
    await apply(global, TIMEOUTS, `after-${index}`);
    await until('east has it over the other', async () => (await versionsAt(east, TIMEOUTS)).has(`after-${index}`));
    await server.start();
  }
});
