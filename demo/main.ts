import { join } from 'node:path';
import { writeContexts } from '../cmd/ctl/contexts/file.ts';
import { Scope } from '../test/harness/scope.ts';
import { until } from '../test/harness/until.ts';
import { type Meridianctl, meridianctl } from './ctl.ts';
import { type Orders, startOrders } from './orders.ts';
import { type Processes, startProcesses } from './processes.ts';
import { conclude, expect, say, step } from './tell.ts';

/**
 * The demo: NATS, a global and two zones as real processes, and a real Envoy. Who may call, what a change would do, a
 * zone that is cut off, and what a policy is called elsewhere.
 */

const POLICIES = 'demo/policies';

async function run(scope: Scope): Promise<{ readonly processes: Processes; readonly orders: Orders | undefined }> {
  say('starting nats-server, a global, and the zones east and west ...');
  const processes = await startProcesses(scope);
  const contexts = join(processes.folder, 'contexts');
  const zones = (['east', 'west'] as const).map((name) => ({ name, address: processes[name].url, zone: name, zoneOf: 'global' }));
  writeContexts(contexts, { current: 'global', controlPlanes: [...zones, { name: 'global', address: processes.global.url }] });
  const ctl = meridianctl(contexts);
  const orders = await startOrders(scope, ctl, processes).catch((thrown: unknown) => {
    say(`without an Envoy, so no call is made: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return undefined;
  });
  await permit(ctl, orders);
  await cutOff(ctl, processes, orders);
  await rename(ctl);
  step('All of it on one screen.');
  await ctl.show('status');
  return { processes, orders };
}

/** From nobody to who is allowed, and what a deny would change. */
async function permit(ctl: Meridianctl, orders: Orders | undefined): Promise<void> {
  step('1. Nobody is allowed yet, so nobody enters. The Envoy of orders, in zone east:');
  await orders?.call('web', 403);
  step('2. Say at global who may call. It is in force in east within milliseconds.');
  await ctl.show(`apply -f ${POLICIES}/shop.yaml --wait`);
  await orders?.call('web', 200);
  await orders?.call('old', 403);
  step('3. Ask before a change: who would lose access?');
  await ctl.show(`apply -f ${POLICIES}/no-web.yaml --dry-run`);
}

/** West misses a change, goes on alone, and catches up. */
async function cutOff(ctl: Meridianctl, { linkOfWest }: Processes, orders: Orders | undefined): Promise<void> {
  step('4. The link to west is cut. The change is made all the same, and the ledger says who lacks it.');
  linkOfWest.cut();
  await ctl.show(`apply -f ${POLICIES}/no-web.yaml`);
  await orders?.call('web', 403);
  const ledger = 'ledger MeshTrafficPermission no-web';
  await until('east has it', async () => statesOf(await ctl.run(`${ledger} -o json`)).join() === 'applied,on its way');
  await ctl.show(ledger);
  step('West works alone: it answers, and goes on with what it has.');
  await ctl.show('get meshtrafficpermissions --zone west');
  step('The link is there again, and west has it.');
  linkOfWest.join();
  await ctl.show('wait');
  expect('the ledger', statesOf(await ctl.run(`${ledger} -o json`)), ['applied', 'applied']);
  await ctl.show(ledger);
}

function statesOf(ledger: string): readonly string[] {
  return (JSON.parse(ledger) as { items: { state: string }[] }).items.map(({ state }) => state).sort();
}

interface ShownPolicy {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: { readonly to?: readonly { readonly targetRef: Readonly<Record<string, string>> }[] };
}

/** What the owner of a service says of it goes to every zone, and refers to the service's name there. */
async function rename(ctl: Meridianctl): Promise<void> {
  step('5. The owner of backend, in east, says how to call it. In west it has another name, and the policy knows it.');
  await ctl.show(`apply -f ${POLICIES}/east.yaml --context east --wait`);
  await until('west has both', async () => (await itemsOf(ctl, 'meshtimeouts')).length + (await itemsOf(ctl, 'meshservices')).length === 2);
  await ctl.show('get meshservices --zone west');
  await ctl.show('get meshtimeouts --zone west -o yaml');
  const policies = await itemsOf(ctl, 'meshtimeouts');
  const [service] = await itemsOf(ctl, 'meshservices');
  expect(
    'what came to west',
    policies.map(({ labels }) => [labels['kuma.io/display-name'], labels['kuma.io/policy-role']]),
    [['call-backend', 'producer']],
  );
  const target = policies[0]?.spec.to?.[0]?.targetRef;
  expect('the reference in west', `${target?.name}.${target?.namespace}`, service?.name);
}

async function itemsOf(ctl: Meridianctl, path: string): Promise<readonly ShownPolicy[]> {
  return (JSON.parse(await ctl.run(`get ${path} --zone west -o json`)) as { items: ShownPolicy[] }).items;
}

function whatNext({ folder, global, natsUrl }: Processes, orders: Orders | undefined): void {
  step('It stays up until Ctrl-C. In another terminal, in this folder:');
  say(`  export MERIDIAN_CONFIG=$PWD/${folder}/contexts`);
  say(`  alias meridianctl='${process.execPath} dist/cmd/ctl/main.js'`);
  say(`  meridianctl delete MeshTrafficPermission no-web`);
  if (orders) say(`  ${orders.curl('web')}`);
  say(`\nThe web page: ${global.url}/gui    NATS: ${natsUrl}`);
}

function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    // A pending promise alone would let Node end.
    setInterval(() => {}, 60_000).ref();
  });
}

const scope = new Scope();
let good = false;
try {
  const { processes, orders } = await run(scope);
  good = conclude();
  if (!process.argv.includes('--once')) {
    whatNext(processes, orders);
    await untilInterrupted();
  }
} finally {
  await scope.close();
}
process.exit(good ? 0 : 1);
