import { setTimeout as wait } from 'node:timers/promises';
import { type Daemon, startDaemon } from '../../test/harness/daemon.ts';
import { startNats } from '../../test/harness/nats.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { report } from '../report.ts';
import { apply, getJson } from '../system.ts';
import { told, watchDaemon } from './watched.ts';

const ZONES = Number(process.env.SCALE_PROCESSES ?? '20');
const SECONDS = Number(process.env.SCALE_SECONDS ?? '30');
const PER_SECOND = 10;
const NAMES = 8;

/**
 * What there must be in the end: by kind, origin ('' for global) and name, the port or the number that it was given
 * last.
 */
type ExpectedNumbers = Map<string, number>;

/** Real zones; every second change is one of global, the others are of a zone in turn; every tenth is a delete. */
export async function measureMixed(scope: Scope): Promise<void> {
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url, MERIDIAN_ENVIRONMENT: 'universal' };
  const global = await startDaemon(scope, 'global', { MERIDIAN_NATS_URL: nats.url });
  const zones: { name: string; daemon: Daemon }[] = [];
  for (let index = 0; index < ZONES; index++) {
    const name = `zone-${index}`;
    zones.push({ name, daemon: await startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: name }) });
  }
  for (const { daemon } of zones) await daemon.untilReady();
  const watching = [global, ...zones.map(({ daemon }) => daemon)].map((daemon) => watchDaemon(daemon));
  for (const watched of watching) await watched.reset();
  const expected: ExpectedNumbers = new Map();
  const began = performance.now();
  for (let change = 0; change < SECONDS * PER_SECOND; change++) {
    await wait(Math.max(0, began + (change * 1000) / PER_SECOND - performance.now()));
    const zone = zones[(change >> 1) % ZONES];
    await makeChange(change, change % 2 === 0 || !zone ? { name: '', daemon: global } : zone, expected);
  }
  const took = (performance.now() - began) / 1000;
  const ended = performance.now();
  const all = [{ name: '', daemon: global }, ...zones];
  await until('each holds exactly what it must', async () => {
    for (const { name, daemon } of all) {
      const problem = difference(expected, await holds(daemon, name));
      if (problem !== undefined) throw new Error(`${name || 'global'}: ${problem}`);
    }
    return true;
  });
  report(
    `${ZONES} real zones, ${SECONDS * PER_SECOND} changes in ${took.toFixed(0)} s: each holds exactly its ${expected.size}, after`,
    `${(performance.now() - ended).toFixed(0)} ms`,
  );
  const [ofGlobal, ofFirst, ...rest] = await Promise.all(watching.map((watched) => watched.use()));
  if (ofGlobal) report('… global', told(ofGlobal));
  if (ofFirst) report('… the first zone', told(ofFirst));
  report('… the other zones, MB at most each', rest.map(({ peakMb }) => peakMb.toFixed(0)).join(', '));
}

async function makeChange(
  change: number,
  { name: zone, daemon }: { name: string; daemon: Daemon },
  expected: ExpectedNumbers,
): Promise<void> {
  const type = zone === '' ? 'MeshTimeout' : 'MeshService';
  const name = `item-${(change * 7) % NAMES}`;
  const id = `${type} ${zone} ${name}`;
  if (change % 10 >= 8 && expected.has(id)) {
    expected.delete(id);
    const response = await fetch(`${daemon.url}/meshes/default/${type.toLowerCase()}s/${name}`, { method: 'DELETE' });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return;
  }
  expected.set(id, change + 1);
  const to = [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: `${change + 1}s` } }];
  const spec = zone === '' ? { to } : { ports: [{ port: change + 1 }] };
  await apply(daemon, [{ type, mesh: 'default', name, spec }]);
}

interface ListedResource {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly ports?: readonly { readonly port: number }[];
    readonly to?: readonly { default: { connectionTimeout: string } }[];
  };
}

async function holds(daemon: Daemon, own: string): Promise<ExpectedNumbers> {
  const found: ExpectedNumbers = new Map();
  for (const type of ['MeshTimeout', 'MeshService']) {
    const { items } = await getJson<{ items: readonly ListedResource[] }>(`${daemon.url}/meshes/default/${type.toLowerCase()}s?size=1000`);
    for (const { labels = {}, spec } of items) {
      const origin = type === 'MeshTimeout' ? '' : (labels['kuma.io/zone'] ?? own);
      const value = spec.ports?.[0]?.port ?? Number.parseInt(spec.to?.[0]?.default.connectionTimeout ?? '', 10);
      found.set(`${type} ${origin} ${labels['kuma.io/display-name'] ?? ''}`, value);
    }
  }
  return found;
}

function difference(expected: ExpectedNumbers, found: ExpectedNumbers): string | undefined {
  for (const [id, value] of expected) if (found.get(id) !== value) return `${id} is ${found.get(id)}, not ${value}`;
  for (const id of found.keys()) if (!expected.has(id)) return `${id} should not be there`;
  return undefined;
}
