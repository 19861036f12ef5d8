import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { freePorts } from '../harness/envoy.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { failingDisk, type DataPlace, smallDisk } from './places.ts';

/** A log that can't be written: lines of it are lost and counted, and nothing else is. */

const scope = new Scope();
after(() => scope.close());

/** A global without NATS, whose output goes where `redirection` says. */
async function startGlobal(redirection: string) {
  const [api, diagnostics] = await freePorts(2);
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MERIDIAN_') && name !== 'NODE_TEST_CONTEXT')),
    MERIDIAN_DATA_DIR: join(scope.folder(), 'data'),
    MERIDIAN_NATS_URL: '',
    MERIDIAN_API_PORT: String(api),
    MERIDIAN_DIAGNOSTICS_PORT: String(diagnostics),
  };
  const command = `exec "${process.execPath}" cmd/global/main.ts ${redirection} 2>&1`;
  const child = spawn('bash', ['-c', command], { cwd: new URL('../../', import.meta.url), env, stdio: 'ignore' });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  scope.add(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const [url, diagnosticsUrl] = [`http://127.0.0.1:${api}`, `http://127.0.0.1:${diagnostics}`];
  await until('it serves', () => fetch(`${url}/meshes`).then(({ ok }) => ok || undefined));
  return { url, diagnosticsUrl, pid: child.pid ?? 0, stop: () => (child.kill('SIGTERM'), ended) };
}

type Global = Awaited<ReturnType<typeof startGlobal>>;

async function lostLines({ diagnosticsUrl }: Global): Promise<number> {
  const text = await (await fetch(`${diagnosticsUrl}/metrics`)).text();
  return Number(/^meridian_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
}

async function warnings({ diagnosticsUrl }: Global): Promise<string> {
  const { warnings: all } = (await (await fetch(`${diagnosticsUrl}/ready`)).json()) as { warnings: string[] };
  return all.join('\n');
}

/** A wrong token is logged: it is refused, and of many soon nothing more is heard. */
async function knock({ url }: Global): Promise<void> {
  const { status } = await fetch(`${url}/meshes`, { headers: { authorization: 'Bearer wrong' } });
  assert.ok(status === 401 || status === 429, String(status));
}

async function use(global: Global): Promise<void> {
  const { url } = global;
  await knock(global);
  const headers = { 'content-type': 'application/json' };
  const put = await fetch(`${url}/meshes/m`, { method: 'PUT', headers, body: JSON.stringify({ type: 'Mesh', name: 'm' }) });
  assert.ok(put.ok);
}

for (const [what, redirection] of [
  ['on a full disk from the start', '> /dev/full'],
  ['whose reader is gone', '> >(exec true)'],
] as const) {
  test(`a log ${what}`, async () => {
    const global = await startGlobal(redirection);
    await use(global);
    await until('lines are counted', async () => (await lostLines(global)) > 0);
    assert.match(await warnings(global), /lines of the log are lost: (ENOSPC|EPIPE)/);
    assert.equal(await global.stop(), 0);
  });
}

const DISKS: Readonly<Record<string, { place: () => DataPlace | undefined; needs: string }>> = {
  'on a disk that gets full': { place: () => smallDisk(scope, 1), needs: 'no small tmpfs can be mounted here: it takes root' },
  'in a file that may not grow': { place: () => failingDisk(scope), needs: 'there is no prlimit here: it takes Linux' },
};

for (const [what, { place: find, needs }] of Object.entries(DISKS)) {
  test(`a log ${what}, and then goes on`, async (t) => {
    const place = find();
    if (!place) return t.skip(needs);
    const file = join(place.folder, 'log');
    const global = await startGlobal(`>> ${file}`);
    place.break(global.pid);
    await until('lines are lost', async () => {
      await knock(global);
      return (await lostLines(global)) > 0;
    });
    place.repair(global.pid);
    await until('the log says what is missing', async () => readFileSync(file, 'utf8').includes('"msg":"lines of the log were lost"'));
    await use(global);
    assert.doesNotMatch(await warnings(global), /lines of the log/);
    assert.equal(await global.stop(), 0);
    const lines = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'));
    const said = lines
      .map((line) => JSON.parse(line) as { msg: string; lost?: number })
      .find(({ msg }) => msg === 'lines of the log were lost');
    assert.ok((said?.lost ?? 0) > 0);
    assert.match(lines.at(-1) ?? '', /"stopped"/);
  });
}
