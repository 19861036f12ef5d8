import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../test/harness/until.ts';
import { COMPOSE, type World } from './world.ts';

/** What the scenarios say and ask, in one line each. */

/** Runs meridianctl; throws what it said where it did not end with 0. Out: its standard output. */
export async function ctl(world: World, service: string, line: string, input?: string): Promise<string> {
  const { code, out, err } = await world.ctl(service, line.split(' '), input);
  if (code !== 0) throw new Error(`${service}: meridianctl ${line} ended with ${code}: ${err}${out}`);
  return out;
}

/** Applies a file of compose/policies. */
export async function apply(world: World, service: string, file: string): Promise<void> {
  await ctl(world, service, 'apply -f -', policy(file));
}

/** Waits until a command's output holds a text. */
export async function shows(world: World, service: string, line: string, text: string): Promise<void> {
  await step(world, `${service}: meridianctl ${line} shows ${text}`, async () => {
    const said = await ctl(world, service, line);
    return said.includes(text) || Promise.reject(new Error(said));
  });
}

/** Waits until a command's output holds a text no more. */
export async function lacks(world: World, service: string, line: string, text: string): Promise<void> {
  await step(world, `${service}: meridianctl ${line} shows no ${text}`, async () => {
    const said = await ctl(world, service, line);
    return !said.includes(text) || Promise.reject(new Error(said));
  });
}

/** Waits until a service has said a text. */
export async function says(world: World, service: string, text: string): Promise<void> {
  await step(world, `${service} says ${text}`, async () => {
    const said = await world.said(service);
    return said.includes(text) || Promise.reject(new Error(said));
  });
}

/** Waits until a call gets this status. */
export async function gets(world: World, from: string, caller: Caller, url: string, status: 0 | 200 | 403): Promise<void> {
  await step(world, `${caller} on ${from} gets ${status} of ${url}`, async () => {
    const answer = await world.call(from, caller, url);
    return answer.startsWith(`${status} `) || Promise.reject(new Error(answer));
  });
}

/** Waits until a zone has all that global has for it. */
export async function ready(world: World, service: string): Promise<void> {
  await step(world, `${service} is ready`, async () => {
    const { code, err } = await world.ctl(service, ['wait', '--timeout', '5']);
    return code === 0 || Promise.reject(new Error(err));
  });
}

/** Waits until a control plane answers nobody. */
export async function gone(world: World, service: string): Promise<void> {
  await step(world, `${service} does not answer`, async () => (await world.ctl(service, ['status'])).code !== 0);
}

/** Who calls: `web` is a service of west, `orders` one of east, `old` one that nobody allows. */
export type Caller = 'web' | 'orders' | 'old';

export const ORDERS = 'https://10.89.2.4:8080/';
export const WEB = 'https://10.89.2.5:8080/';

/** Waits for east and west, tells each of its service, and starts the Envoys before the two services. */
export async function openShop(world: World): Promise<void> {
  for (const service of ['east', 'west']) await ready(world, service);
  await apply(world, 'east', 'orders.yaml');
  await apply(world, 'west', 'web.yaml');
  const callers = [
    '--caller web=spiffe://default.west.mesh.local/ns/shop/sa/web',
    '--caller orders=spiffe://default.east.mesh.local/ns/shop/sa/orders',
    '--caller old=spiffe://default.west.mesh.local/ns/legacy/sa/old',
  ];
  await ctl(world, 'east', `envoy certs orders-1.shop --trial --dir /etc/meridian/proxies ${callers.join(' ')}`);
  await ctl(world, 'west', 'envoy certs web-1.shop --trial --dir /etc/meridian/proxies');
  const bootstrap = 'envoy bootstrap --xds-address 127.0.0.1:5678 --admin-port 0';
  world.write('orders.json', await ctl(world, 'east', `${bootstrap} orders-1.shop`));
  world.write('web.json', await ctl(world, 'west', `${bootstrap} web-1.shop`));
  await world.start('east-envoy', 'west-envoy');
}

/** Takes away what the scenarios apply, and waits until west has nothing of it either. */
export async function emptyShop(world: World): Promise<void> {
  await ctl(world, 'global', 'delete MeshTrafficPermission shop no-web --ignore-not-found --yes');
  await ctl(world, 'east', 'delete -f - --ignore-not-found --yes', policy('backend.yaml'));
  await lacks(world, 'west', 'get meshtimeouts -o name', 'slow');
}

function policy(file: string): string {
  return readFileSync(join(COMPOSE, 'policies', file), 'utf8');
}

/** Waits for one thing, as long as the world has patience. To ask costs a process, so it is not asked without a pause. */
async function step(world: World, what: string, look: () => Promise<boolean>): Promise<void> {
  const patiently = async (): Promise<boolean> => {
    try {
      return await look();
    } catch (thrown) {
      await wait(200);
      throw thrown;
    }
  };
  const isToFail = world.fails !== undefined && what.startsWith(world.fails);
  await until(what, patiently, isToFail ? Math.min(20, world.patience) : world.patience);
}
