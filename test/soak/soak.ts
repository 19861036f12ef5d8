import { type Daemon, startDaemon } from '../harness/daemon.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/**
 * A global and a zone that work and are made to collect: does each live, and is its memory flat? In each round policies
 * change on both sides and reach the other one, some are deleted, lists are read in every way, and both collect.
 *
 *   node test/soak/soak.ts MINUTES      prints a line a minute; ends with 1 when a process ended or memory grew
 */

const POLICIES = 40;
/** Until then caches fill and code is compiled. */
const WARM_UP = 6;

/** What one process holds after a collection, in bytes. */
interface HeldMemory {
  readonly held: number;
  readonly rss: number;
}

export interface Soak {
  readonly rounds: number;
  /** By process, after each round. */
  readonly left: Readonly<Record<'global' | 'zone', readonly HeldMemory[]>>;
}

/**
 * Runs rounds as long as `goesOn` says so of their number. Throws when a process ends, or what was written doesn't
 * arrive.
 */
export async function soak(scope: Scope, goesOn: (round: number) => boolean): Promise<Soak> {
  const nats = await startNats(scope);
  const collecting = `--expose-gc --import=${new URL('collect.mjs', import.meta.url).href}`;
  const common = { MERIDIAN_NATS_URL: nats.url, NODE_OPTIONS: collecting };
  const global = await startDaemon(scope, 'global', common);
  const zone = await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' });
  await zone.untilReady();
  const left = { global: [] as HeldMemory[], zone: [] as HeldMemory[] };
  let round = 0;
  for (; goesOn(round); round++) {
    await work(global, zone, round);
    left.global.push(await collect(global));
    left.zone.push(await collect(zone));
  }
  for (const daemon of [global, zone]) {
    const code = await daemon.stop();
    if (code !== 0) throw new Error(`a daemon ended with ${code}: ${daemon.lines.slice(-3).join('\n')}`);
  }
  return { rounds: round, left };
}

async function work(global: Daemon, zone: Daemon, round: number): Promise<void> {
  const numbers = Array.from({ length: POLICIES }, (_, index) => index);
  await send(
    global,
    'POST',
    '/apply',
    numbers.map((index) => permission(index, round)),
  );
  await send(
    zone,
    'POST',
    '/apply',
    numbers.map((index) => timeout(index, round)),
  );
  await arrived(zone, 'meshtrafficpermissions', `/sa/v${round}"`);
  await arrived(global, 'meshtimeouts', `"${round + 1}s"`);
  for (const daemon of [global, zone]) {
    for (const query of ['size=5', 'name=soak-1', 'filter[labels.kuma.io/origin]=zone', 'name=soak&offset=10']) {
      await send(daemon, 'GET', `/meshes/default/meshtimeouts?${query}`);
    }
  }
  await send(global, 'DELETE', `/meshes/default/meshtrafficpermissions/soak-${round % POLICIES}`);
  await send(zone, 'DELETE', `/meshes/default/meshtimeouts/soak-${round % POLICIES}.shop`);
}

function permission(index: number, round: number) {
  const spec = { rules: [{ default: { allow: [{ spiffeID: { type: 'Exact', value: `spiffe://td/ns/app-${index}/sa/v${round}` } }] } }] };
  return { type: 'MeshTrafficPermission', mesh: 'default', name: `soak-${index}`, spec };
}

/** A consumer's: it goes up to global. */
function timeout(index: number, round: number) {
  const spec = { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout: `${round + 1}s` } }] };
  return { type: 'MeshTimeout', mesh: 'default', name: `soak-${index}`, labels: { 'k8s.kuma.io/namespace': 'shop' }, spec };
}

async function send(daemon: Daemon, method: string, path: string, body?: unknown): Promise<string> {
  if (!daemon.running()) throw new Error(`a daemon ended with ${await daemon.exit}: ${daemon.lines.slice(-5).join('\n')}`);
  const given = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${daemon.url}${path}`, { method, ...given });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}

function arrived(daemon: Daemon, kind: string, mark: string): Promise<unknown> {
  return until(`${POLICIES} ${kind} with ${mark}`, async () => {
    const text = await send(daemon, 'GET', `/meshes/default/${kind}?size=1000`);
    return text.replaceAll(/\s/g, '').split(mark).length - 1 === POLICIES;
  });
}

async function collect(daemon: Daemon): Promise<HeldMemory> {
  const told = () => daemon.lines.filter((line) => line.startsWith('{"collected"'));
  const before = told().length;
  daemon.signal('SIGUSR2');
  const line = await until('a daemon collects', async () => {
    if (!daemon.running()) return `ended with ${await daemon.exit}: ${daemon.lines.slice(-5).join('\n')}`;
    return told()[before];
  });
  if (!line.startsWith('{')) throw new Error(`a daemon that collects ${line}`);
  return (JSON.parse(line) as { collected: HeldMemory }).collected;
}

/**
 * In bytes: what each process held at the end beyond what it held when it was warm; medians over a fifth of the rounds.
 */
export function growth({ left }: Soak, what: keyof HeldMemory): Record<'global' | 'zone', number> {
  const of = (samples: readonly HeldMemory[]): number => {
    const warm = samples.slice(WARM_UP).map((sample) => sample[what]);
    const part = Math.ceil(warm.length / 5);
    return median(warm.slice(-part)) - median(warm.slice(0, part));
  };
  return { global: of(left.global), zone: of(left.zone) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Ends the process' work with a verdict: what is held after a collection is exact, what the system counts is not. */
async function run(minutes: number): Promise<void> {
  const scope = new Scope();
  const [start, end] = [performance.now(), performance.now() + minutes * 60_000];
  let told = 0;
  try {
    const done = await soak(scope, (round) => {
      const passed = Math.floor((performance.now() - start) / 60_000);
      if (passed > told) console.log(`${passed} min: ${round} rounds`);
      told = passed;
      return performance.now() < end;
    });
    const [held, rss] = [growth(done, 'held'), growth(done, 'rss')];
    console.log(`Node ${process.versions.node}: ${done.rounds} rounds, all alive; growth ${JSON.stringify({ held, rss })}`);
    if (Object.values(held).some((bytes) => bytes > 3_000_000) || Object.values(rss).some((bytes) => bytes > 20_000_000))
      process.exitCode = 1;
  } finally {
    await scope.close();
  }
}

if (import.meta.main ?? process.argv[1]?.endsWith('soak.ts')) await run(Number(process.argv[2] ?? 10));
