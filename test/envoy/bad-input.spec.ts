import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { evaluate } from '../../src/policy/decide/evaluate-permissions.ts';
import { readRequest } from '../../src/policy/decide/read-request.ts';
import { readMtp } from '../../src/resource/permission.ts';
import { httpCaller, tcpCaller } from '../harness/caller.ts';
import type { IssuedCertificate } from '../harness/certificates.ts';
import type { Daemon } from '../harness/daemon.ts';
import { DATAPLANE, type EnforcingZone, from, lists, permission, startEnforcingZone } from '../harness/enforcing-zone.ts';
import { freePorts } from '../harness/envoy.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';

/** What is wrong leaves the last good rules in force on a real Envoy, and is seen where an operator looks. */

const scope = new Scope();
after(() => scope.close());

const [WEB, OTHER] = ['spiffe://default/web', 'spiffe://default/other'];
const allow = (...ids: string[]) => lists({ allow: ids.map((value) => ({ spiffeId: { type: 'Exact', value } })) });

let served: EnforcingZone;
let web: IssuedCertificate;
let other: IssuedCertificate;

before(async () => {
  served = await startEnforcingZone(scope, { web: 'http', db: 'tcp', chain: 'http' }, process.env.MERIDIAN_AGREEMENT_ENVOY);
  [web, other] = [await served.authority.issue('web', [WEB]), await served.authority.issue('other', [OTHER])];
});

beforeEach(async () => {
  await served.apply(served.dataplane('web', 'db', 'chain'), permission('web', 'web', allow(WEB)), permission('db', 'db', allow(WEB)));
  await until('all is well', async () => (await verdicts()) === '200,403,true,false' && (await warnings()).length === 0);
});

/** Of web and other on HTTP, of web and other on TCP. */
async function verdicts(): Promise<string> {
  const both = [web, other];
  const http = both.map(async (files) => (await httpCaller(scope, served.port('web'), files).ask()).status);
  const tcp = both.map(async (files) => (await tcpCaller(scope, served.port('db'), files).say('x')) === 'x');
  return (await Promise.all([...http, ...tcp])).join();
}

const warnings = async () => (await served.zone.ready()).warnings.filter((text) => text.includes('proxies'));

interface ShownProxy {
  readonly streams: readonly {
    readonly connected: boolean;
    readonly until?: string;
    readonly types: readonly { readonly refused: readonly { readonly name: string; readonly message: string; readonly since: string }[] }[];
  }[];
}

const get = async <T>(daemon: Daemon, path: string): Promise<T> => (await (await fetch(`${daemon.url}${path}`)).json()) as T;
const shown = () => get<ShownProxy>(served.zone, `/meshes/default/dataplanes/${DATAPLANE}/_proxy`);
const refusals = async () => (await shown()).streams.flatMap(({ types }) => types.flatMap(({ refused }) => refused));

async function metric(state: string): Promise<number> {
  const text = await (await fetch(`${served.zone.diagnosticsUrl}/metrics`)).text();
  return Number(new RegExp(`meridian_proxies\\{state="${state}"\\} (\\d+)`).exec(text)?.[1]);
}

/** As `kumactl inspect dataplanes` tells who is online. */
async function isOnline(daemon: Daemon): Promise<boolean> {
  interface Insight {
    readonly dataplaneInsight?: { readonly subscriptions: readonly { readonly connectTime?: string; readonly disconnectTime?: string }[] };
  }
  const { items } = await get<{ items: Insight[] }>(daemon, '/meshes/default/dataplanes/_overview');
  return items.some(({ dataplaneInsight }) => dataplaneInsight?.subscriptions.some(({ disconnectTime }) => disconnectTime === undefined));
}

describe('a permission that leads nowhere changes nothing', () => {
  const deny = lists({ deny: [{ spiffeId: { type: 'Prefix', value: 'spiffe://default' } }] });
  const nowhere: Readonly<Record<string, object>> = {
    'a Dataplane that is not there': { kind: 'Dataplane', name: 'nobody' },
    'labels that none has': { kind: 'Dataplane', labels: { app: 'nobody' } },
    'a section that is not there': { kind: 'Dataplane', sectionName: 'nobody' },
    'tags that none has': { kind: 'MeshSubset', tags: { version: 'v9' } },
  };
  for (const [what, targetRef] of Object.entries(nowhere)) {
    it(what, async () => {
      await served.apply(permission('nowhere', undefined, { ...deny, targetRef }), permission('web', 'web', allow(WEB, OTHER)));
      await until('what came with it is in force', async () => (await verdicts()) === '200,200,true,false');
      const path = '/meshes/default/meshtrafficpermissions/nowhere.shop/_resources/dataplanes';
      assert.equal((await get<{ total: number }>(served.zone, path)).total, 0, 'the API says that it selects nobody');
      await served.remove('nowhere');
    });
  }

  it('a route that is not there, as long as it denies nobody', async () => {
    const targetRef = { kind: 'MeshHTTPRoute', name: 'nobody' };
    await served.apply(permission('nowhere', undefined, { ...allow(OTHER), targetRef }), permission('web', 'web', allow(WEB, OTHER)));
    await until('what came with it is in force', async () => (await verdicts()) === '200,200,true,false');
    await served.remove('nowhere');
  });
});

it('a deny on a route that is not there holds for whatever the route may be', async () => {
  const targetRef = { kind: 'MeshHTTPRoute', name: 'nobody' };
  const denied = lists({ deny: [{ spiffeId: { type: 'Exact', value: OTHER } }] });
  await served.apply(permission('web', 'web', allow(WEB, OTHER)), permission('db', 'db', allow(WEB, OTHER)));
  await until('both get in', async () => (await verdicts()) === '200,200,true,true');
  await served.apply(permission('nowhere', undefined, { ...denied, targetRef }));
  await until('one of them no more', async () => (await verdicts()) === '200,403,true,false');
  await served.remove('nowhere');
  await until('both again', async () => (await verdicts()) === '200,200,true,true');
});

it('a Dataplane without inbounds: nobody gets in, and a permission for it changes nothing', async () => {
  await served.apply(served.dataplane());
  await until('nobody gets in', async () => (await verdicts()) === '0,0,false,false');
  await served.apply(permission('web', undefined, allow(WEB)));
  assert.equal(await verdicts(), '0,0,false,false');
  assert.deepEqual(await refusals(), []);
});

it('two inbounds on a port: refused, with the place, and nothing that came with it is written', async () => {
  const second = { name: 'second', port: served.port('web'), servicePort: 1, protocol: 'tcp', tags: { 'kuma.io/service': 'x' } };
  const applied = served.apply(served.dataplane('web', 'db', 'chain', second), permission('web', 'web', allow(OTHER)));
  await assert.rejects(applied, /networking\.inbound\[3\]\.port.*taken by another inbound/);
  await served.apply(permission('db', 'db', allow(OTHER)));
  await until('what comes later is in force', async () => (await verdicts()) === '200,403,false,true');
});

it('two inbounds that exchange their ports, HTTP and TCP: each takes its rules along, and the Envoy refuses nothing', async () => {
  const { spec } = served.dataplane('web', 'db', 'chain') as { spec: { networking: { inbound: { port: number }[] } } };
  const [first, second, third] = spec.networking.inbound;
  assert.ok(first && second && third);
  await served.apply(served.dataplane({ ...first, port: second.port }, { ...second, port: first.port }, third));
  const ask = async (files: IssuedCertificate) => (await httpCaller(scope, served.port('db'), files).ask()).status;
  const say = async (files: IssuedCertificate) => (await tcpCaller(scope, served.port('web'), files).say('x')) === 'x';
  const now = async () => (await Promise.all([ask(web), ask(other), say(web), say(other)])).join();
  await until('both are where the other was', async () => (await now()) === '200,403,true,false');
  await served.apply(permission('web', 'web', allow(OTHER)), permission('db', 'db', allow(OTHER)));
  await until('later changes arrive', async () => (await now()) === '403,200,false,true');
  assert.deepEqual(await refusals(), []);
});

describe('an update that the Envoy refuses', () => {
  it('leaves its last good rules in force, holds up no other, and is seen with its reason', async () => {
    const [taken = 0] = await freePorts(1);
    const holder = createServer().listen(taken, '127.0.0.1');
    scope.add(() => void holder.close());
    const more = { name: 'more', port: taken, servicePort: 1, protocol: 'tcp', tags: { 'kuma.io/service': 'x' } };
    await served.apply(served.dataplane('web', 'db', 'chain', more));
    const [refusal] = await until('it is seen', async () => ((await refusals()).length > 0 ? refusals() : undefined));
    assert.equal(refusal?.name, `inbound:127.0.0.1:${taken}`);
    assert.match(refusal?.message ?? '', /in use/);
    assert.match(refusal?.since ?? '', /^20\d\d-/);
    assert.equal(await metric('refusing'), 1);
    assert.equal((await warnings()).length, 1);
    assert.equal(await verdicts(), '200,403,true,false');
    await served.apply(permission('web', 'web', allow(OTHER)), permission('db', 'db', allow(OTHER)));
    await until('changes of the others arrive', async () => (await verdicts()) === '403,200,false,true');
    await new Promise((resolve) => holder.close(resolve));
    await until('it is tried again', async () => (await refusals()).length === 0);
  });
});

it('an Envoy that vanishes is seen, here and at global, and gets what changed when it is back', async () => {
  await until('it is online', async () => (await isOnline(served.zone)) && (await isOnline(served.global)));
  assert.equal(await metric('connected'), 1);
  served.envoy.signal('SIGKILL');
  await until('it is gone', async () => (await shown()).streams.every(({ connected, until: end }) => !connected && end !== undefined));
  await until('everywhere', async () => !(await isOnline(served.zone)) && !(await isOnline(served.global)));
  assert.deepEqual([await metric('connected'), await metric('disconnected')], [0, 1]);
  await served.apply(permission('web', 'web', allow(OTHER)));
  await served.startEnvoy();
  await until('it has the latest', async () => (await verdicts()) === '403,200,true,false');
  await until('it is online again', async () => (await isOnline(served.zone)) && (await isOnline(served.global)));
});

it('a chain of 70 items of two tags, allow and deny in turn, is taken and decides as the evaluator says', async () => {
  const tags = (index: number) => ({ version: `v${index % 7}`, env: `e${index % 5}` });
  const shape = from(
    ...Array.from({ length: 70 }, (_, index) => [{ kind: 'MeshSubset', tags: tags(index) }, index % 2 === 0 ? 'Allow' : 'Deny'] as const),
  );
  await served.apply(permission('chain', 'chain', shape));
  const mtp = readMtp({ targetRef: { kind: 'Mesh' }, ...shape });
  const key = { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'shop', name: 'chain' };
  const answers = { Allow: 200, Deny: 403 };
  const seen = new Set<string>();
  for (let index = 0; index < 35; index += 3) {
    const { version, env } = tags(index);
    const sans = ['spiffe://default/shop', `kuma://version/${version}`, `kuma://env/${env}`];
    const { action } = evaluate([{ key, mtp, via: undefined }], readRequest({ spiffeIds: sans }, 'http', 'default'), 'enforced');
    const files = await served.authority.issue(`chain-${index}`, sans);
    const ask = async () => (await httpCaller(scope, served.port('chain'), files).ask()).status;
    if (seen.size === 0) await until('it is in force', async () => (await ask()) === answers[action]);
    assert.equal(await ask(), answers[action], sans.join());
    seen.add(action);
  }
  assert.deepEqual([...seen].sort(), ['Allow', 'Deny']);
  assert.deepEqual(await refusals(), []);
});
