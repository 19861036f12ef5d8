import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { exact, fromList, permission, prefix, resource, storedPermission } from '../../../test/harness/policies.ts';
import { type DecisionSetting, ask, TD, WEB } from '../../../test/harness/ask-decision.ts';
import { decide } from './decide-request.ts';
import type { Request } from './read-request.ts';

/** One permission and one client: the decision. */
function one(spec: JsonObject, id: string | readonly string[], asked: Partial<Request> = {}, protocol = 'http'): string {
  return ask([permission('p', spec)], { spiffeIds: typeof id === 'string' ? [id] : id, ...asked } as Request, { protocol }).decision;
}

const allow = (...list: JsonObject[]): JsonObject => ({ default: { allow: list } });
const everyone = allow(prefix(TD));
const deny = (...list: JsonObject[]): JsonObject => ({ default: { deny: list, allow: [prefix(TD), prefix('spiffe://td')] } });

describe('SPIFFE IDs', () => {
  const pay = 'spiffe://td/ns/pay';
  const cases: readonly (readonly [matcher: JsonObject, id: string, matches: boolean])[] = [
    [exact(pay), pay, true],
    [exact(pay), `${pay}/sa/api`, false],
    [prefix(pay), pay, true],
    [prefix(pay), `${pay}/sa/api`, true],
    [prefix(pay), 'spiffe://td/ns/payroll/sa/api', false],
    [prefix(`${pay}/`), `${pay}/sa/api`, true],
    [prefix(`${pay}/`), 'spiffe://td/ns/payroll', false],
    [prefix('spiffe://td'), `${pay}/sa/api`, true],
    [prefix('spiffe://td/'), `${pay}/sa/api`, true],
    [prefix('spiffe://td'), 'spiffe://td.evil/ns/pay', false],
    [prefix('spiffe://td'), 'spiffe://td2/ns/pay', false],
  ];
  for (const [matcher, id, matches] of cases) {
    it(`${JSON.stringify(matcher.spiffeId)} and ${id}: ${matches}`, () => {
      assert.equal(one(allow(matcher), id), matches ? 'Allow' : 'Deny');
      const all = prefix(id.split('/').slice(0, 3).join('/'));
      assert.equal(one({ default: { deny: [matcher], allow: [all] } }, id), matches ? 'Deny' : 'Allow');
    });
  }

  it('of a certificate with several: none is allowed, each may be denied', () => {
    assert.equal(one(everyone, [WEB]), 'Allow');
    assert.equal(one(everyone, [WEB, WEB]), 'Allow');
    assert.equal(one(everyone, [WEB, `${TD}/api`]), 'Deny');
    assert.equal(one(everyone, [WEB, 'kuma://env/dev']), 'Deny');
    assert.equal(one(allow({ method: 'GET' }), [WEB, `${TD}/api`], { method: 'GET' }), 'Deny');
    const decided = ask([permission('p', { default: { deny: [exact(`${TD}/api`)] } }), permission('q', fromList([{}, 'ALLOW']))], {
      spiffeIds: [WEB, `${TD}/api`],
    });
    assert.equal(decided.decidedBy?.name, 'p');
    assert.equal(one(allow({ method: 'GET' }), [], { method: 'GET' }), 'Deny');
  });
});

describe('HTTP conditions', () => {
  const metrics = { path: { type: 'Prefix', value: '/metrics' } };
  const get = { method: 'GET' };
  const cases: readonly (readonly [matcher: JsonObject, asked: Partial<Request>, matches: boolean])[] = [
    [metrics, { path: '/metrics' }, true],
    [metrics, { path: '/metrics/cpu' }, true],
    [metrics, { path: '/metricsx' }, false],
    [metrics, { path: '/metrics?x=/y' }, true],
    [metrics, { path: '/a?/metrics' }, false],
    [metrics, { path: '/a/../metrics' }, true],
    [metrics, { path: '//metrics//cpu' }, true],
    [metrics, { path: '/%6detrics' }, true],
    [metrics, { path: '/metrics/../admin' }, false],
    [metrics, { path: '/metrics/%2e%2e/admin' }, false],
    [{ path: { type: 'Exact', value: '/a' } }, { path: '/a?b' }, true],
    [{ path: { type: 'Exact', value: '/a' } }, { path: '/a/' }, false],
    [{ path: { type: 'Prefix', value: '/' } }, { path: '/anything' }, true],
    [get, { method: 'GET' }, true],
    [get, { method: 'get' }, false],
    [{ ...get, ...metrics }, { method: 'GET', path: '/' }, false],
    [{ ...get, ...prefix(`${TD}/api`) }, { method: 'GET' }, false],
  ];
  for (const [matcher, asked, matches] of cases) {
    it(`${JSON.stringify(matcher)} and ${JSON.stringify(asked)}: ${matches}`, () => {
      assert.equal(one(allow(matcher), WEB, asked), matches ? 'Allow' : 'Deny');
      assert.equal(one(deny(matcher), WEB, asked), matches ? 'Deny' : 'Allow');
    });
  }

  it('that are not known, or on TCP, never allow and always deny', () => {
    for (const protocol of ['http', 'tcp']) {
      const asked = protocol === 'tcp' ? { method: 'POST', path: '/x' } : {};
      assert.equal(one(allow(get), WEB, asked, protocol), 'Deny');
      assert.equal(one(allow({ ...metrics, ...exact(WEB) }), WEB, asked, protocol), 'Deny');
      assert.equal(one(deny(metrics), WEB, asked, protocol), 'Deny');
      assert.equal(one(deny({ ...get, ...exact(WEB) }), WEB, asked, protocol), 'Deny');
      assert.equal(one(deny({ ...get, ...exact(`${TD}/api`) }), WEB, asked, protocol), 'Allow');
      assert.equal(one(everyone, WEB, asked, protocol), 'Allow');
    }
  });
});

describe('a `from` item', () => {
  const everybody = [permission('p', fromList([{}, 'ALLOW']))];

  it('is about clients of its mesh, and of no mesh that is called alike', () => {
    assert.equal(ask(everybody, { spiffeIds: [WEB] }).decision, 'Allow');
    assert.equal(ask(everybody, { spiffeIds: ['spiffe://default-2/web'] }).decision, 'Deny');
    assert.equal(ask(everybody, { spiffeIds: ['kuma://env/dev'] }).decision, 'Deny');
  });
});

describe('both families on one inbound', () => {
  const web = { kind: 'MeshService', name: 'web' };
  const mesh = { kind: 'Mesh' };
  const lists = permission('lists', allow(exact(`${TD}/nobody`)));
  const open = permission('open', everyone);
  const from = (...items: readonly (readonly [JsonObject, string])[]) => permission('from', fromList(...items));
  const cases: readonly (readonly [title: string, policies: readonly Resource[], decision: string, decidedBy?: string])[] = [
    ['a leftover Allow of Mesh opens nothing', [from([mesh, 'ALLOW']), lists], 'Deny'],
    ['nor does a subset of nothing', [from([{ kind: 'MeshSubset' }, 'ALLOW']), lists], 'Deny'],
    ['a specific Allow does', [from([web, 'ALLOW']), lists], 'Allow', 'from'],
    ['a specific Deny wins over allow lists', [from([web, 'DENY']), open], 'Deny', 'from'],
    ['an Allow of Mesh takes no Deny away', [from([web, 'DENY'], [mesh, 'ALLOW']), open], 'Deny', 'from'],
    ['a Deny of Mesh leaves it to the allow lists', [from([mesh, 'DENY']), open], 'Allow', 'open'],
    ['a Deny of Mesh overrules an earlier Allow', [from([web, 'ALLOW'], [mesh, 'DENY']), lists], 'Deny', 'from'],
    ['a Deny of Mesh takes no earlier Deny away', [from([web, 'DENY'], [mesh, 'DENY']), open], 'Deny', 'from'],
    ['deny lists win over all', [from([web, 'ALLOW']), permission('d', { default: { deny: [exact(WEB)] } })], 'Deny', 'd'],
    ...[
      {},
      { default: {} },
      { rules: [] },
      { rules: [{}] },
      { rules: [{ default: { deny: [] } }] },
      { default: { allow: [] } },
      { from: [] },
    ].map(
      (spec) =>
        [
          `what says nothing is no list: ${JSON.stringify(spec)}`,
          [from([mesh, 'ALLOW']), storedPermission('nothing', spec)],
          'Allow',
          'from',
        ] as const,
    ),
  ];
  for (const [title, policies, decision, decidedBy] of cases) {
    it(title, () => {
      const decided = ask(policies, { spiffeIds: [WEB] });
      assert.deepEqual([decided.decision, decided.decidedBy?.name], [decision, decidedBy]);
    });
  }

  it('warns of the leftover', () => {
    assert.equal(ask([from([mesh, 'ALLOW']), lists], { spiffeIds: [WEB] }).warnings.length, 1);
    assert.equal(ask([from([mesh, 'ALLOW'])], { spiffeIds: [WEB] }).warnings.length, 0);
  });
});

describe('who decided', () => {
  it('is the last in order that did', () => {
    const policies = ['a', 'b', 'c'].map((name) => permission(name, name === 'c' ? allow(exact(`${TD}/api`)) : everyone));
    assert.equal(ask(policies, { spiffeIds: [WEB] }).decidedBy?.name, 'a');
    assert.equal(ask(policies, { spiffeIds: ['spiffe://td/x'] }).decidedBy, undefined);
  });

  it('is told for the shadow too', () => {
    const spec = { default: { allowWithShadowDeny: [exact(WEB)], allow: [prefix(TD)] } };
    const { decision, shadow, decidedBy, shadowDecidedBy } = ask([permission('p', spec), permission('a', everyone)], { spiffeIds: [WEB] });
    assert.deepEqual([decision, shadow, decidedBy?.name, shadowDecidedBy?.name], ['Allow', 'Deny', 'a', 'p']);
  });

  it('is nobody where there is no policy, or only one in the shadow', () => {
    const nothing = ask([], { spiffeIds: [WEB] });
    assert.deepEqual([nothing.decision, nothing.shadow, nothing.decidedBy], ['Deny', 'Deny', undefined]);
    assert.equal(ask([permission('s', everyone, '', { 'kuma.io/effect': 'shadow' })], { spiffeIds: [WEB] }).decision, 'Deny');
    const denied = permission('s', { default: { deny: [prefix(TD)] } }, '', { 'kuma.io/effect': 'shadow' });
    assert.equal(ask([denied, permission('p', everyone)], { spiffeIds: [WEB] }).decision, 'Allow');
  });

  it('is the one that can’t be read, which denies', () => {
    const broken: Resource = { ...permission('b', everyone), spec: { default: { deny: [{ future: true }] } } };
    const decided = ask([permission('p', everyone), broken], { spiffeIds: [WEB] });
    assert.deepEqual([decided.decision, decided.shadow, decided.decidedBy?.name], ['Deny', 'Deny', 'b']);
  });

  it('is nobody where it was not said which inbound is meant', () => {
    const inbound = [{ port: 1 }, { port: 2 }];
    const target = resource('Dataplane', 'd', { networking: { address: '127.0.0.1', inbound } });
    assert.equal(decide({ policies: [permission('p', everyone)], dataplane: target, request: { spiffeIds: [WEB] } }).decision, 'Deny');
  });
});

describe('a policy on a route', () => {
  const rules = (value: string, ...backendRefs: JsonObject[]) => [
    { matches: [{ path: { type: 'PathPrefix', value } }], default: { backendRefs } },
  ];
  const route = (name: string, list: JsonObject[], from = '') =>
    resource('MeshHTTPRoute', name, { to: [{ targetRef: { kind: 'MeshService', name: 'front' }, rules: list }] }, from);
  const backend = { kind: 'MeshService', name: 'backend' };
  const onRoute = (spec: JsonObject, targetRef: JsonObject = { kind: 'MeshHTTPRoute', name: 'r' }) =>
    permission('p', { ...spec, targetRef });
  const others = [route('r', rules('/v2', backend))];
  const at = (path: string, policies: readonly Resource[], more: DecisionSetting = {}) =>
    ask(policies, { spiffeIds: [WEB], path }, { others, ...more }).decision;

  it('applies to the requests that the route leads to the inbound', () => {
    assert.equal(at('/v2/x', [onRoute(everyone)]), 'Allow');
    assert.equal(at('/v1/x', [onRoute(everyone)]), 'Deny');
    assert.equal(at('/v2/x', [permission('q', everyone), onRoute({ default: { deny: [prefix(TD)] } })]), 'Deny');
    assert.equal(at('/v1/x', [permission('q', everyone), onRoute({ default: { deny: [prefix(TD)] } })]), 'Allow');
    assert.equal(at('/v2/x', [onRoute(fromList([{}, 'ALLOW']))]), 'Allow');
  });

  it('does not where the route leads elsewhere', () => {
    assert.equal(at('/v2/x', [onRoute(everyone)], { others: [route('r', rules('/v2', { kind: 'MeshService', name: 'other' }))] }), 'Deny');
    assert.equal(at('/v2/x', [onRoute(everyone)], { tags: { 'kuma.io/service': 'front' } }), 'Deny');
    assert.equal(at('/v2/x', [onRoute(everyone)], { others: [route('r', rules('/v2'))], tags: { 'kuma.io/service': 'front' } }), 'Allow');
  });

  it('never allows and always denies on TCP', () => {
    const tcp = { protocol: 'tcp' };
    assert.equal(at('/v2/x', [onRoute(everyone)], tcp), 'Deny');
    assert.equal(at('/v1/x', [permission('q', everyone), onRoute({ default: { deny: [prefix(TD)] } })], tcp), 'Deny');
    assert.equal(at('/v1/x', [onRoute(fromList([{}, 'ALLOW']))], tcp), 'Deny');
  });

  it('never allows on TCP either where the route is for every request', () => {
    const all = route('r', [{ default: { backendRefs: [backend] } }]);
    assert.equal(at('/', [onRoute(everyone)], { others: [all] }), 'Allow');
    assert.equal(at('/', [onRoute(everyone)], { others: [all], protocol: 'tcp' }), 'Deny');
  });

  it('never allows and always denies by what is not looked at: expressions and headers', () => {
    const unseen = [
      route('r', [{ matches: [{ path: { type: 'RegularExpression', value: '/v2.*' } }], default: { backendRefs: [backend] } }]),
      route('r', [{ matches: [{ headers: [{ name: 'x', value: 'y' }] }], default: { backendRefs: [backend] } }]),
    ];
    const target = { kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } };
    for (const one of unseen) {
      assert.equal(at('/v2/x', [onRoute(everyone, target)], { others: [one] }), 'Deny');
      assert.equal(
        at('/v2/x', [permission('q', everyone), onRoute({ default: { deny: [prefix(TD)] } }, target)], { others: [one] }),
        'Deny',
      );
    }
  });

  it('is not drawn anywhere by a stranger’s route that has the labels', () => {
    const theirs = route('r', rules('/', backend), 'west/mallory');
    const byLabels = { kind: 'MeshHTTPRoute', labels: { 'kuma.io/display-name': 'r' } };
    assert.equal(at('/v2/x', [onRoute(everyone, byLabels)], { others: [theirs] }), 'Deny');
    const denying = [permission('q', everyone), onRoute({ default: { deny: [prefix(TD)] } }, byLabels)];
    assert.equal(at('/v2/x', denying, { others: [theirs] }), 'Allow');
    assert.equal(at('/v2/x', denying, { others: [theirs, route('r', rules('/', backend))] }), 'Deny');
  });
});
