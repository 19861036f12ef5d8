import { type Breaks, leaveOut } from '../breaks.ts';
import { until } from '../../test/harness/until.ts';
import { apply, ctl, ready, shows } from '../shop.ts';
import type { World } from '../world.ts';

const SITES = ['paris', 'bern', 'ohio'];
const CONNECT = 'access --from orders-1.shop --to ledger --namespace pay --connect';

/** What `POST /access/connect` answers, as far as it counts here. */
interface Connected {
  readonly allowed: boolean;
  readonly site: string | null;
  readonly identity: string;
  readonly token: string | null;
}

export async function open(world: World): Promise<void> {
  for (const site of SITES) await ready(world, site);
  for (const site of SITES) await apply(world, site, 'geo-orders.yaml');
  for (const site of ['bern', 'ohio']) await apply(world, site, 'geo-ledger.yaml');
}

/** Who may reach what goes by where both are; the nearest site is picked, and another one when that is gone. */
export async function run(world: World): Promise<void> {
  await shows(world, 'paris', CONNECT, 'denied: no policy allows it');
  for (const site of SITES) await apply(world, site, 'geo-access.yaml');
  await shows(world, 'paris', CONNECT, 'picked: bern (attributes, kri_lbp_default_paris_pay_nearest_)');
  await entersOnce(world, 'paris', 'bern');

  await byLocation(world);
  await withoutBern(world);

  await apply(world, 'paris', 'geo-ledger.yaml');
  await connects(world, 'paris', 'paris');
}

/** The owner's policy says Europe, the operator's says production; each site decides by what it knows of the other. */
async function byLocation(world: World): Promise<void> {
  await shows(world, 'ohio', CONNECT, 'denied: no policy allows it');
  await can(world, 'bern', 0, 'kri_ap_default_bern_pay_orders-of-europe_');
  await can(world, 'ohio', 1, 'no access policy allows it');
  await apply(world, 'ohio', 'geo-everybody.yaml');
  await can(world, 'ohio', 0, 'kri_ap_default_ohio_pay_everybody_');
  await connects(world, 'ohio', 'ohio');
  await apply(world, 'global', 'geo-no-staging.yaml');
  await shows(world, 'ohio', `${CONNECT} -o json`, 'kri_pap_default___no-staging_');
  await moves(world, 'bern', 'gcp/asia');
  await can(world, 'bern', 1, 'no access policy allows it');
  await connects(world, 'paris', 'ohio');
  await moves(world, 'bern', 'aws/eu/bern');
  await connects(world, 'paris', 'bern');
}

/** The site that is picked is gone; then it is back. */
async function withoutBern(world: World): Promise<void> {
  await world.cut('bern');
  await entersOnce(world, 'paris', 'ohio');
  await world.join('bern');
  await connects(world, 'paris', 'bern');
  await world.kill('bern');
  await connects(world, 'paris', 'ohio');
  await world.start('bern');
  await entersOnce(world, 'paris', 'bern');
}

/** Waits until a call of the orders of a site is let in to the ledger of another one. */
function connects(world: World, from: string, to: string): Promise<Connected> {
  const look = async (): Promise<Connected> => {
    const asked = { from: { dataplane: 'orders-1.shop' }, to: { service: 'ledger', namespace: 'pay' } };
    const answer = await post<Connected>(world, from, '/access/connect', asked);
    return (answer.allowed && answer.site === to && answer) || Promise.reject(new Error(JSON.stringify(answer)));
  };
  return until(`orders of ${from} are let in at ${to}`, look, world.patience);
}

/** What a call was given lets it in, once: what stands before the service asks. It has five seconds. */
async function entersOnce(world: World, from: string, to: string): Promise<void> {
  const enter = async (): Promise<object> => {
    const { token, identity } = await connects(world, from, to);
    const shown = { token, caller: identity, to: { service: 'ledger', namespace: 'pay' } };
    const { why } = await post<{ why: string }>(world, to, '/access/consume', shown);
    return why === 'consumed' ? shown : Promise.reject(new Error(why));
  };
  const shown = await until(`the token of ${from} lets in at ${to}`, enter, world.patience);
  const { why } = await post<{ why: string }>(world, to, '/access/consume', shown);
  if (why !== 'unknown') throw new Error(`the token of ${from} is ${why} at ${to} for the second time`);
}

/** Waits for what a site decides about its own orders at its own ledger: 0 is yes, 1 is no. */
async function can(world: World, site: string, code: 0 | 1, by: string): Promise<void> {
  const line = `can --from spiffe://default.${site}.mesh.local/ns/shop/dataplane/orders-1 --to ledger-1.pay:8080`;
  await until(
    `${site}: meridianctl ${line} ends with ${code}, by ${by}`,
    async () => {
      const said = await world.ctl(site, line.split(' '));
      return (said.code === code && said.out.includes(by)) || Promise.reject(new Error(said.out));
    },
    world.patience,
  );
}

/** An operator says at global that a site is elsewhere. */
async function moves(world: World, site: string, location: string): Promise<void> {
  const zone = { type: 'Zone', name: site, enabled: true, attributes: { location, environment: 'production' } };
  await ctl(world, 'global', 'apply -f -', JSON.stringify(zone));
}

async function post<T>(world: World, site: string, path: string, body: object): Promise<T> {
  const { code, out, err } = await world.exec(site, ['node', '/post.mjs', path, JSON.stringify(body)]);
  if (code !== 0) throw new Error(`${site}: ${path}: ${err}${out}`);
  return JSON.parse(out) as T;
}

export const breaks: Breaks = {
  'bern says that it is in America': {
    services: { bern: { environment: { MERIDIAN_SITE_ATTRIBUTES: 'location=aws/us/reno,environment=production' } } },
    noticed: `paris: meridianctl ${CONNECT} shows picked: bern`,
  },
  'the operator does not veto': { spoil: leaveOut(/^ctl global apply .*no-staging/s), noticed: `ohio: meridianctl ${CONNECT} -o json` },
  'bern is not cut off': { spoil: leaveOut(/^cut bern/), noticed: 'orders of paris are let in at ohio' },
};
