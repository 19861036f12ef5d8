import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { meridianctl } from '../harness/meridianctl.ts';
import { startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

const scope = new Scope();
after(() => scope.close());

const run = (...args: string[]) => meridianctl(args);

/** Seconds in which a revocation, or `zone disable`, holds on open connections. */
const PROMISED = 5;

async function apply(url: string, name: string): Promise<void> {
  const spec = { to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '1s' } }] };
  const body = JSON.stringify({ type: 'MeshTimeout', mesh: 'default', name, spec });
  const headers = { 'content-type': 'application/json' };
  assert.equal((await fetch(`${url}/meshes/default/meshtimeouts/${name}`, { method: 'PUT', headers, body })).status, 201);
}

async function atGlobal(url: string): Promise<number> {
  return ((await (await fetch(`${url}/meshes/default/meshtimeouts`)).json()) as { total: number }).total;
}

describe('meridianctl zone add', () => {
  it('gives credentials with which real control planes exchange; a revoked or disabled zone gets nothing any more, on open connections too', async (t) => {
    const folder = scope.folder();
    const at = ['--dir', join(folder, 'nats'), '--accounts-dir', join(folder, 'accounts')];
    for (const zone of ['east', 'west']) assert.equal((await run('zone', 'add', zone, ...at)).code, 0);
    const creds = (name: string) => join(folder, 'nats', `${name}.creds`);
    const nats = await startNats(scope, readFileSync(join(folder, 'nats', 'nats.conf'), 'utf8'));
    const common = { MERIDIAN_NATS_URL: nats.url };
    const global = await startDaemon(scope, 'global', { ...common, MERIDIAN_NATS_CREDS: creds('global') });
    const [east, west] = await Promise.all(
      ['east', 'west'].map((zone) => startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: zone, MERIDIAN_NATS_CREDS: creds(zone) })),
    );
    assert.ok(east && west);
    await Promise.all([east.untilReady(), west.untilReady()]);
    const put = async (name: string) => {
      const body = JSON.stringify({ type: 'Mesh', name });
      const answer = await fetch(`${global.url}/meshes/${name}`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
      assert.equal(answer.status, 201);
    };
    const has = async (daemon: { url: string }, name: string) => (await fetch(`${daemon.url}/meshes/${name}`)).status === 200;
    await put('first');
    await until('both have it', async () => (await has(east, 'first')) && (await has(west, 'first')));

    /** The promise is 5 s; what it took is told. */
    const holds = async (what: string, look: () => Promise<boolean>) => {
      const began = performance.now();
      await until(what, look, PROMISED);
      t.diagnostic(`${what}: after ${Math.round(performance.now() - began)} ms`);
    };
    const notices = async (): Promise<number> => {
      const metrics = await (await fetch(`${west.diagnosticsUrl}/metrics`)).text();
      return Number(/_incidents_total\{peer="global",event="the peer exchanges nothing",code="disabled"\} (\d+)/.exec(metrics)?.[1] ?? 0);
    };

    const revoked = await run('zone', 'revoke', 'east', '--yes', ...at, '--nats-url', nats.url);
    assert.deepEqual([revoked.code, revoked.out], [0, 'revoked the credential of east\n']);
    await holds('the revoked zone is cut off', async () =>
      (await east.ready()).warnings.some((warning) => /NATS|Authorization|revoked/i.test(warning)),
    );
    assert.equal((await run('zone', 'disable', 'west', '--url', global.url)).code, 0);
    await holds('the disabled zone is told', async () => (await west.ready()).reasons.some((reason) => reason.startsWith('disabled: ')));
    await put('second');
    await apply(west.url, 'of-west');
    const told = await notices();
    await until('the two have spoken since', async () => (await notices()) >= told + 2);
    assert.deepEqual([await has(west, 'second'), await atGlobal(global.url)], [false, 0]);
    assert.equal((await run('zone', 'enable', 'west', '--url', global.url)).code, 0);
    await until('west has it once it is enabled', () => has(west, 'second'));
    await until('and global what west wrote', async () => (await atGlobal(global.url)) === 1);
    assert.equal(await has(east, 'second'), false);
    const secret = readFileSync(creds('west'), 'utf8')
      .split('\n')
      .find((line) => line.startsWith('SU'));
    assert.ok(secret);
    for (const daemon of [global, east, west]) assert.ok(!daemon.lines.join('\n').includes(secret));
  });

  it('keeps what it makes to its owner, makes no second credential unasked, and says what is wrong', async () => {
    const dir = join(scope.folder(), 'nats');
    const made = await run('zone', 'add', 'east', '--dir', dir, '-o', 'json');
    const answer = JSON.parse(made.out) as { credentials: string[]; natsConfiguration: string };
    assert.deepEqual(answer.credentials, [join(dir, 'global.creds'), join(dir, 'east.creds')]);
    assert.match(answer.natsConfiguration, /^operator: eyJ/);
    for (const file of readdirSync(dir)) assert.equal((statSync(join(dir, file)).mode & 0o777).toString(8), '600', file);
    const before = readFileSync(join(dir, 'east.creds'), 'utf8');
    const again = await run('zone', 'add', 'east', '--dir', dir);
    assert.deepEqual([again.code, readFileSync(join(dir, 'east.creds'), 'utf8')], [1, before]);
    assert.match(again.err, /has a credential.*\nhint: --replace/);
    assert.equal((await run('zone', 'add', 'east', '--dir', dir, '--replace')).code, 0);
    assert.notEqual(readFileSync(join(dir, 'east.creds'), 'utf8'), before);
    for (const [args, says] of [
      [['zone', 'add', 'East', '--dir', dir], /name: must be the name of a zone/],
      [['zone', 'add', 'north', '--dir', dir, '--valid-for', '0'], /--valid-for: must be a number of days/],
      [['zone', 'revoke', 'north', '--yes', '--dir', dir], /north has no credential/],
      [['zone', 'revoke', 'east', '--yes', '--dir', dir, '--nats-url', 'nats://127.0.0.1:1'], /ECONNREFUSED|reached/],
    ] as const) {
      const { code, err } = await run(...args);
      assert.equal(code, 1);
      assert.match(err, says);
    }
    chmodSync(join(dir, 'authority.json'), 0o644);
    assert.match((await run('zone', 'add', 'north', '--dir', dir)).err, /others than its owner may read/);
  });
});
