import { isDeepStrictEqual } from 'node:util';
import { type Daemon, startDaemon } from '../test/harness/daemon.ts';
import { startNats } from '../test/harness/nats.ts';
import { Scope } from '../test/harness/scope.ts';
import { until } from '../test/harness/until.ts';
import { ctl } from './ctl.ts';

/**
 * The demo: NATS, a global and two zones as real processes; policies on a zone and on global; where each arrived, and
 * what it decides.
 */

const POLICIES = 'demo/policies';
const failures: string[] = [];

interface ShownPolicy {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: { readonly to?: readonly { readonly targetRef: Readonly<Record<string, string>> }[] };
}

function say(text: string): void {
  console.log(text);
}

function check(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  failures.push(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
}

/** Shows a command and what it prints. */
async function show(place: string, url: string, ...args: string[]): Promise<void> {
  say(`\n${place} $ meridianctl ${args.join(' ')}`);
  const { code, out } = await ctl(url, ...args);
  say(out.trimEnd().replace(/^/gm, '  '));
  check(`meridianctl ${args[0]}`, code, 0);
}

async function list(url: string, path: string): Promise<readonly ShownPolicy[]> {
  const response = await fetch(`${url}/meshes/default/${path}`);
  return ((await response.json()) as { items: ShownPolicy[] }).items;
}

const displayName = ({ labels }: ShownPolicy) => labels['kuma.io/display-name'];

async function arrived(url: string, path: string, name: string): Promise<ShownPolicy> {
  return until(`${name} is at ${url}`, async () => (await list(url, path)).find((item) => displayName(item) === name));
}

async function where(planes: Readonly<Record<string, Daemon>>): Promise<void> {
  say('\nWhere each policy is, under which name, with which role and reference:\n');
  const rows = [['AT', 'NAME', 'ROLE', 'REFERS TO']];
  for (const [place, { url }] of Object.entries(planes)) {
    for (const path of ['meshtimeouts', 'meshtrafficpermissions']) {
      for (const item of await list(url, path)) {
        const target = item.spec.to?.[0]?.targetRef;
        rows.push([place, item.name, item.labels['kuma.io/policy-role'] ?? '', target ? `${target.name} ${target.namespace ?? ''}` : '-']);
      }
    }
  }
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  for (const row of rows) say(`  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
}

/** The producer policy came to west and leads to the service's copy there; the consumer policy went to global only. */
async function verify(global: Daemon, west: Daemon): Promise<void> {
  const policy = await arrived(west.url, 'meshtimeouts', 'call-backend');
  const service = await arrived(west.url, 'meshservices', 'backend');
  const target = policy.spec.to?.[0]?.targetRef;
  check('the reference in west', `${target?.name}.${target?.namespace}`, service.name);
  check('its role', policy.labels['kuma.io/policy-role'], 'producer');
  check('its origin', [policy.labels['kuma.io/origin'], policy.labels['kuma.io/zone']], ['global', 'east']);
  await arrived(global.url, 'meshtimeouts', 'be-patient');
  check('timeouts in west', (await list(west.url, 'meshtimeouts')).map(displayName), ['call-backend']);
}

async function decide(): Promise<void> {
  const args = [
    'decide',
    '-f',
    `${POLICIES}/global.yaml`,
    '--dataplane',
    `${POLICIES}/dataplane.yaml`,
    '--clients',
    `${POLICIES}/clients.yaml`,
  ];
  await show('anywhere', '', ...args);
  const { out } = await ctl('', ...args, '-o', 'json');
  const { clients } = JSON.parse(out) as { clients: { decision: string }[] };
  check(
    'the decisions',
    clients.map((client) => client.decision),
    ['Allow', 'Deny', 'Deny'],
  );
}

async function run(scope: Scope): Promise<void> {
  say('starting nats-server, a global, and the zones east and west ...');
  const nats = await startNats(scope);
  const common = { MERIDIAN_NATS_URL: nats.url };
  const [global, east, west] = await Promise.all([
    startDaemon(scope, 'global', common),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'east' }),
    startDaemon(scope, 'zone', { ...common, MERIDIAN_ZONE_NAME: 'west', MERIDIAN_SYSTEM_NAMESPACE: 'mesh-system' }),
  ]);
  await Promise.all([global.untilReady(), east.untilReady(), west.untilReady()]);
  await show('east', east.url, 'apply', '-f', `${POLICIES}/east.yaml`);
  await show('global', global.url, 'apply', '-f', `${POLICIES}/global.yaml`);
  await arrived(west.url, 'meshtrafficpermissions', 'by-mesh-operator');
  await arrived(east.url, 'meshtrafficpermissions', 'by-mesh-operator');
  await verify(global, west);
  await where({ global, east, west });
  await show('global', global.url, 'inspect', 'zones');
  await show('global', global.url, 'ledger', 'MeshTimeout', 'call-backend');
  await decide();
  say(`\nnats    ${nats.url}`);
  for (const [name, daemon] of Object.entries({ global, east, west }))
    say(`${name.padEnd(7)} ${daemon.url}  (ready, metrics: ${daemon.diagnosticsUrl})`);
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // A pending promise alone would let Node end.
    setInterval(() => {}, 60_000).ref();
  });
}

const scope = new Scope();
const once = process.argv.includes('--once');
try {
  await run(scope);
  for (const failure of failures) console.error(`NOT AS EXPECTED: ${failure}`);
  say(failures.length === 0 ? '\nall as expected' : '\nnot all was as expected');
  if (!once) {
    say('Ctrl-C ends it. Try: MERIDIAN_URL=<an address above> node dist/cmd/ctl/main.js get meshtimeouts --all-meshes');
    await untilInterrupted();
  }
} finally {
  await scope.close();
}
process.exit(failures.length === 0 ? 0 : 1);
