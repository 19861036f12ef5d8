import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, apiOf, apiOn, ask, EAST, type AnyJson, newApi, newWorld, WEST } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const TD = 'spiffe://trust-domain.mesh';
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });
const prefix = (value: string) => ({ spiffeId: { type: 'Prefix', value } });

function permission(name: string, conf: object, targetRef?: object, labels?: object) {
  const spec = { ...(targetRef ? { targetRef } : {}), ...conf };
  return { type: 'MeshTrafficPermission', mesh: 'default', name, ...(labels ? { labels } : {}), spec };
}

function dataplane(name: string, service: string, protocol = 'http', labels = {}) {
  const inbound = [{ port: 8080, name: 'main', tags: { 'kuma.io/service': service, 'kuma.io/protocol': protocol } }];
  return { type: 'Dataplane', mesh: 'default', name, labels: { app: service, ...labels }, networking: { address: '127.0.0.1', inbound } };
}

async function apply(api: TestedApi, documents: readonly object[], query = ''): Promise<AnyJson> {
  const { status, body } = await ask(api, 'POST', `/apply${query}`, documents);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const dryRun = (api: TestedApi, ...documents: object[]) => apply(api, documents, '?dryRun=true');
const open = permission('open', { default: { allow: [prefix(TD)] } });
const verdict = (decision: string, decidedBy: string | null) => ({
  decision,
  shadow: decision,
  decidedBy,
  shadowDecidedBy: decidedBy,
});
const ALLOW = verdict('Allow', 'kri_mtp_default_west__open_');
const DENY = verdict('Deny', 'kri_mtp_default_west__deny_');

describe('POST /apply?dryRun=true', () => {
  it('lists whoever comes in plain text, where a MeshTLS opens or shuts it', async () => {
    const api = newApi(scope, WEST);
    const tls = (name: string, mode: string, targetRef: object) => {
      const spec = { targetRef, rules: [{ default: { mode } }] };
      return { type: 'MeshTLS', mesh: 'default', name, spec };
    };
    const some = { kind: 'Dataplane', labels: { app: 'a' } };
    await apply(api, [dataplane('a-1', 'a'), dataplane('a-2', 'a'), dataplane('b-1', 'b'), open]);
    const of = ({ changes }: AnyJson) =>
      changes.flatMap(({ inbounds, callers }: AnyJson) =>
        callers.map(({ from, verdicts: [{ before, after: then }] }: AnyJson) => [
          inbounds.map((one: AnyJson) => one.dataplane.split('.')[0]),
          from,
          before.decision,
          then.decision,
        ]),
      );
    const plain = [{ kind: 'plaintext' }];
    const opened = tls('open', 'Permissive', { kind: 'Mesh' });
    assert.deepEqual(of(await dryRun(api, opened)), [[['a-1', 'a-2', 'b-1'], plain, 'Deny', 'Allow']]);
    await apply(api, [opened]);
    assert.deepEqual(of(await dryRun(api, opened)), [], 'it is there already');
    assert.deepEqual(of(await dryRun(api, tls('shut', 'Strict', some))), [[['a-1', 'a-2'], plain, 'Allow', 'Deny']]);
    const fresh = of(await dryRun(api, dataplane('b-2', 'b')));
    assert.deepEqual(
      fresh.filter(([, from]: AnyJson) => from[0].kind === 'plaintext'),
      [[['b-2'], plain, 'Deny', 'Allow']],
    );
    const denies = of(await dryRun(api, permission('deny', { default: { deny: [prefix(TD)] } })));
    assert.ok(denies.length > 0 && denies.every(([, from]: AnyJson) => from[0].kind !== 'plaintext'), 'no permission is asked');
  });

  it('lists the proxies and callers that a deny for the mesh changes, of 1,000', async () => {
    const api = newApi(scope, WEST);
    const proxies = Array.from({ length: 1_000 }, (_, index) => dataplane(`p-${index}`, `service-${index % 50}`));
    const shut = permission('shut', { default: { deny: [prefix(TD)] } }, { kind: 'Dataplane', labels: { app: 'service-7' } });
    await apply(api, [...proxies, open, shut]);
    const deny = permission('deny', {
      default: { deny: [prefix(`${TD}/ns/legacy`), exact(`${TD}/ns/a/sa/x`), exact('spiffe://other/x')] },
    });
    const before = api.plane.store.head();
    const started = performance.now();
    const { results, changes, callerSets } = await dryRun(api, deny);
    if (process.env.MERIDIAN_FIGURES) console.error(`a deny for 1,000 proxies: ${(performance.now() - started).toFixed(0)} ms`);
    assert.deepEqual(
      results.map(({ outcome }: AnyJson) => outcome),
      ['created'],
    );
    assert.equal(changes.length, 1);
    const [{ mesh, inbounds, callers }] = changes;
    assert.equal(mesh, 'default');
    const expected = proxies.filter((_, index) => index % 50 !== 7).map(({ name }) => name);
    assert.deepEqual(inbounds.map(({ dataplane: name }: AnyJson) => name).sort(), expected.sort());
    assert.deepEqual(
      inbounds.find(({ dataplane: name }: AnyJson) => name === 'p-3'),
      {
        kri: 'kri_dp_default_west__p-3_main',
        dataplane: 'p-3',
        zone: 'west',
        inbound: 'main',
      },
    );
    const from = [
      { kind: 'prefix', spiffeId: `${TD}/ns/legacy` },
      { kind: 'identity', spiffeId: `${TD}/ns/a/sa/x` },
    ];
    assert.deepEqual(callers, [{ from, verdicts: [{ before: ALLOW, after: DENY }] }]);
    assert.deepEqual(callerSets, []);
    assert.deepEqual(api.plane.store.head(), before);
  });

  it('says who is excepted, and for which requests', async () => {
    const api = newApi(scope, WEST);
    const kept = permission('kept', { default: { deny: [prefix(`${TD}/ns/b`), exact(`${TD}/ns/c`)] } });
    await apply(api, [dataplane('p', 'web'), open, kept]);
    const deny = permission('deny', { default: { deny: [{ path: { type: 'Prefix', value: '/admin' } }] } });
    const { changes } = await dryRun(api, deny);
    const except = [
      { kind: 'prefix', spiffeId: `${TD}/ns/b` },
      { kind: 'identity', spiffeId: `${TD}/ns/c` },
    ];
    const [{ callers }] = changes;
    assert.deepEqual(callers, [
      {
        from: [{ kind: 'prefix', spiffeId: TD, except }],
        verdicts: [
          { when: { path: { type: 'Prefix', value: '/admin' } }, before: ALLOW, after: DENY },
          { when: { noPath: true }, before: ALLOW, after: DENY },
        ],
      },
    ]);
  });

  it('tells the proxies as callers, by what policies know of them', async () => {
    const api = newApi(scope, WEST);
    const everybody = permission('open', { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }] });
    await apply(api, [dataplane('web-1', 'web'), dataplane('web-2', 'web'), dataplane('db', 'db', 'tcp'), everybody]);
    const noWeb = permission(
      'deny',
      { from: [{ targetRef: { kind: 'MeshService', name: 'web' }, default: { action: 'Deny' } }] },
      {
        kind: 'MeshService',
        name: 'db',
      },
    );
    const { changes, callerSets } = await dryRun(api, noWeb);
    const [{ inbounds, callers }] = changes;
    assert.deepEqual(
      inbounds.map(({ dataplane: name }: AnyJson) => name),
      ['db'],
    );
    const from = [
      { kind: 'identity', spiffeId: 'spiffe://default/web' },
      { kind: 'dataplanes', set: 0 },
    ];
    assert.deepEqual(callers, [{ from, verdicts: [{ before: ALLOW, after: DENY }] }]);
    assert.equal(callerSets.length, 1);
    assert.deepEqual(callerSets[0].dataplanes, ['kri_dp_default_west__web-1_', 'kri_dp_default_west__web-2_']);
    assert.ok(callerSets[0].sans.includes('spiffe://default/web'));
  });

  it('knows that shadow actions change the shadow alone, and shadow policies nothing', async () => {
    const api = newApi(scope, WEST);
    await apply(api, [dataplane('p', 'web'), open]);
    const shadowed = await dryRun(api, permission('open', { default: { allowWithShadowDeny: [prefix(TD)] } }));
    const [{ verdicts }] = shadowed.changes[0].callers;
    assert.deepEqual(verdicts, [{ before: ALLOW, after: { ...ALLOW, shadow: 'Deny', shadowDecidedBy: ALLOW.decidedBy } }]);
    const label = { 'kuma.io/effect': 'shadow' };
    assert.deepEqual((await dryRun(api, permission('deny', { default: { deny: [prefix(TD)] } }, undefined, label))).changes, []);
  });

  it('counts what a set leaves out, new proxies, and nothing that stays', async () => {
    const api = newApi(scope, WEST);
    await apply(api, [dataplane('p', 'web')]);
    await apply(api, [open], '?set=shop');
    const pruned = await apply(api, [], '?dryRun=true&set=shop&prune=true&allowEmpty=true');
    assert.deepEqual(pruned.changes[0].callers, [
      { from: [{ kind: 'prefix', spiffeId: TD }], verdicts: [{ before: ALLOW, after: verdict('Deny', null) }] },
    ]);
    const added = await dryRun(api, dataplane('q', 'web'));
    assert.deepEqual(
      added.changes[0].inbounds.map(({ dataplane: name }: AnyJson) => name),
      ['q'],
    );
    assert.deepEqual(added.changes[0].callers[0].verdicts, [{ before: verdict('Deny', null), after: ALLOW }]);
    assert.deepEqual((await dryRun(api, permission('open', { default: { allow: [prefix(`${TD}/`)] } }))).changes, []);
  });

  it('is asked at global for the proxies of all zones', async () => {
    const world = newWorld();
    const [global, west] = [world.node(''), world.node('west')].map((node) => apiOf(scope, node));
    assert.ok(global && west);
    await apply(west, [dataplane('p', 'web')]);
    await apply(global, [open]);
    world.run(10_000);
    const { changes } = await dryRun(global, permission('deny', { default: { deny: [exact(`${TD}/x`)] } }));
    assert.deepEqual(
      changes[0].inbounds.map(({ kri }: AnyJson) => kri),
      ['kri_dp_default_west__p_main'],
    );
    assert.deepEqual(changes[0].callers[0].from, [{ kind: 'identity', spiffeId: `${TD}/x` }]);
    assert.equal(changes[0].callers[0].verdicts[0].after.decidedBy, 'kri_mtp_default___deny_');
  });

  it('changes nothing in a zone that denies everything yet', async () => {
    const api = newApi(scope, EAST);
    await apply(api, [dataplane('p', 'web')]);
    const sync = { view: () => assert.fail('not asked'), peers: () => [], ended: () => undefined };
    assert.deepEqual((await dryRun(apiOn(scope, api.plane, sync), open)).changes, []);
    assert.equal((await dryRun(api, open)).changes.length, 1);
  });
});
