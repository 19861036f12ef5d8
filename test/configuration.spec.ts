import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runProgram, startDaemon } from './harness/daemon.ts';
import { Scope } from './harness/scope.ts';

const ROOT = new URL('../', import.meta.url);
const scope = new Scope();
after(() => scope.close());

/** What a zone says of its configuration, and how it ends. */
async function check(env: Readonly<Record<string, string>>): Promise<[code: unknown, said: string]> {
  const folder = join(scope.folder(), 'data');
  const child = runProgram(scope, 'zone', { MERIDIAN_DATA_DIR: folder, ...env }, ['--check-config']);
  const code = await child.exit;
  assert.equal(existsSync(folder), false, 'nothing was started');
  return [code, child.lines.join('\n')];
}

test('--check-config says all that is wrong, and starts nothing', async () => {
  assert.deepEqual(await check({ MERIDIAN_ZONE_NAME: 'east' }), [0, 'The configuration is right.']);
  const wrong = { MERIDIAN_API_ADDRESS: '0.0.0.0', MERIDIAN_XDS_ADDRESS: '0.0.0.0', MERIDIAN_NATS_CREDS: '/nowhere/east.creds' };
  const [code, said] = await check({ MERIDIAN_ZONE_NAME: 'east', MERIDIAN_SITE_ATTRIBUTES: 'no key=x', ...wrong });
  assert.equal(code, 2);
  for (const one of ['MERIDIAN_API_ADDRESS', 'MERIDIAN_XDS_TLS_CERT', 'MERIDIAN_NATS_CREDS', 'MERIDIAN_SITE_ATTRIBUTES', 'ENOENT'])
    assert.ok(said.includes(one), `${one} in ${said}`);
});

test('--check-config warns of what is allowed and not safe, and of a variable that nobody reads', async () => {
  const allowed = { MERIDIAN_API_ADDRESS: '0.0.0.0', MERIDIAN_ALLOW_INSECURE: 'true' };
  const [code, said] = await check({ MERIDIAN_ZONE_NAME: 'east', MERIDIAN_ZONENAME: 'secret', ...allowed });
  assert.equal(code, 0);
  assert.match(said, /Warning: the API can be reached from other machines/);
  assert.match(said, /Warning: MERIDIAN_ZONENAME is set, and no daemon reads it: was MERIDIAN_ZONE_NAME meant\?/);
  assert.equal(said.includes('secret'), false);
});

test('a variable that nobody reads is named at the start, without its value', async () => {
  const east = await startDaemon(scope, 'zone', { MERIDIAN_ZONE_NAME: 'east', MERIDIAN_NATS_URL: '', MERIDIAN_APIPORT: 'secret' });
  const said = east.log().filter(({ level }) => level === 'warn');
  assert.deepEqual(
    said.map(({ msg }) => msg),
    ['MERIDIAN_APIPORT is set, and no daemon reads it: was MERIDIAN_API_PORT meant?'],
  );
  assert.equal(east.lines.join('\n').includes('secret'), false);
});

test('why a start failed is in the log, and on standard error for a person', () => {
  const env = {
    PATH: process.env.PATH,
    MERIDIAN_ZONE_NAME: 'east',
    MERIDIAN_NATS_URL: 'nats://192.0.2.1:4222',
    MERIDIAN_DATA_DIR: scope.folder(),
  };
  for (const [more, code] of [
    [{ MERIDIAN_API_PORT: 'http' }, 'apiPort'],
    [{}, 'natsUrl'],
  ] as const) {
    const { stdout, stderr, status } = spawnSync(process.execPath, ['cmd/zone/main.ts'], {
      env: { ...env, ...more },
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    const { level, msg, reason } = JSON.parse(stdout.trim().split('\n').at(-2) ?? stdout) as Record<string, string>;
    assert.deepEqual([level, msg], ['error', 'the start failed'], stdout);
    assert.match(reason ?? '', new RegExp(`^${code} `));
    assert.match(stderr, new RegExp(`^${code} `, 'm'));
  }
});

test('on a terminal the log is for people, and says each thing once', {
  skip: process.platform !== 'linux' && '`script` is another program here',
}, () => {
  const env = {
    PATH: process.env.PATH,
    MERIDIAN_ZONE_NAME: 'east',
    MERIDIAN_NATS_URL: 'nats://192.0.2.1:4222',
    MERIDIAN_DATA_DIR: scope.folder(),
  };
  const run = (more: object) =>
    spawnSync('script', ['-qec', `${process.execPath} cmd/zone/main.ts`, '/dev/null'], {
      env: { ...env, ...more },
      cwd: ROOT,
      encoding: 'utf8',
    });
  const plain = run({ NO_COLOR: '1', TERM: 'xterm' });
  assert.equal(plain.status, 2, plain.stdout);
  assert.match(plain.stdout, /^\d\d:\d\d:\d\d info {2}supervisor: stopped\r$/m);
  assert.equal(plain.stdout.match(/has no credentials/g)?.length, 1, plain.stdout);
  assert.ok(run({ TERM: 'xterm-256color' }).stdout.includes('\u001b[32minfo'));
});
