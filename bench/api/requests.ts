import { request } from 'node:http';
import { type Daemon, startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { probe } from '../probe.ts';
import { cpuMs } from '../process.ts';
import { report } from '../report.ts';
import { apply } from '../system.ts';
import { ROWS, type CostlyRequest } from './request-rows.ts';

const PROXIES = 100;
const MB = 1024 * 1024;

/**
 * What one request costs that is made to cost much, with a read-only token and with an admin's: its answer, and the
 * slowest answer of `/healthy` meanwhile (the goal: under 300 ms).
 */
export async function measureRequests(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  await startDaemon(scope, 'global', common);
  const zone = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east', MERIDIAN_ENVIRONMENT: 'universal' });
  await zone.untilReady();
  await apply(
    zone,
    Array.from({ length: PROXIES }, (_, index) => proxy(index)),
  );
  const asked = process.argv.slice(3);
  for (const row of ROWS) {
    if (asked.length > 0 && !asked.some((word) => row.title.includes(word))) continue;
    for (const role of ['read-only', 'admin'] as const) await measure(zone, row, role, await tokenOf(zone, role));
  }
}

async function measure(zone: Daemon, row: CostlyRequest, role: string, token: string): Promise<void> {
  const body = Buffer.from(row.body());
  const probing = probe(zone);
  const [started, used] = [performance.now(), cpuMs(zone.pid)];
  const answer = await send(zone, row, token, body);
  const took = performance.now() - started;
  const { slowest, mostMb } = await probing.stop();
  const size = body.length < MB / 10 ? `${(body.length / 1024).toFixed(0)} KB` : `${(body.length / MB).toFixed(1)} MB`;
  report(
    `${row.title}, ${size}, ${role}`,
    `${answer} after ${took.toFixed(0)} ms (CPU ${cpuMs(zone.pid) - used} ms), /healthy at most ${slowest.toFixed(0)} ms, at most ${mostMb.toFixed(0)} MB`,
  );
}

/** A token for each row: what one is charged is not the next one's. */
async function tokenOf({ url }: Daemon, role: string): Promise<string> {
  const body = JSON.stringify({ name: 'bench', role, validFor: '1h' });
  const answer = await fetch(`${url}/tokens`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { token: string }).token;
}

/** The answer's status and the beginning of its text; where there is none, why. */
function send({ url }: Daemon, { type, path }: CostlyRequest, token: string, body: Buffer): Promise<string> {
  const headers = { 'content-type': type, authorization: `Bearer ${token}`, 'content-length': body.length };
  return new Promise((resolve) => {
    const sent = request(`${url}${path}`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text = text.length < 10_000 ? text + part : text;
      });
      response.on('end', () => resolve(`${response.statusCode ?? 0} ${reasonOf(text)}`));
    });
    sent.on('error', (error) => resolve(error.message));
    sent.end(body);
  });
}

function reasonOf(text: string): string {
  const [, reason] = /"reason":"([^"]*)/.exec(text) ?? /"detail":"([^"]*)/.exec(text) ?? [];
  return reason === undefined ? '' : `(${reason.slice(0, 90)})`;
}

function proxy(index: number): object {
  const inbound = [{ port: 8080, tags: { 'kuma.io/service': `app-${index % 10}`, 'kuma.io/protocol': 'http' } }];
  return { type: 'Dataplane', mesh: 'default', name: `proxy-${index}`, networking: { address: '10.0.0.1', inbound } };
}
