import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeItem } from '../../kds/item.ts';
import { inForceAfterRefusal } from '../../kds/refusal.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import type { Key } from '../../resource/key.ts';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import { can } from './answer-can.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { Enforcement } from '../enforce/enforcement.ts';
import { createMeshViews, readMeshView } from './mesh-view.ts';
import type { Plane } from '../plane/plane.ts';
import { carry, EAST, forAll, MESH, newGlobal, newZone, timeout } from '../../../test/harness/control-planes.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const ANYBODY = { spiffeId: { type: 'Prefix', value: 'spiffe://default' } };
const proxy = (name: string, port: number): Draft => {
  const inbound = [{ port, tags: { 'kuma.io/service': name, 'kuma.io/protocol': 'http' } }];
  return timeout(name, { type: 'Dataplane', labels: { app: name }, spec: { networking: { address: '127.0.0.1', inbound } } });
};
const permission = (name: string, spec: JsonObject): Draft => forAll(name, { type: 'MeshTrafficPermission', spec });
const ALLOW = permission('allow', { rules: [{ default: { allow: [ANYBODY] } }] });
const ON_ROUTE = permission('deny', { targetRef: { kind: 'MeshHTTPRoute', name: 'admin' }, rules: [{ default: { deny: [ANYBODY] } }] });
const rules = [
  { matches: [{ path: { type: 'PathPrefix', value: '/admin' } }], default: { backendRefs: [{ kind: 'MeshServiceSubset', name: 'web' }] } },
];
const ROUTE = forAll('admin', { type: 'MeshHTTPRoute', spec: { to: [{ targetRef: { kind: 'MeshService', name: 'web' }, rules }] } });

/** What a zone says of a caller at /admin and at / of its proxies, `can` and what Envoy is given alike. */
class GlobalAndZone {
  readonly global = newGlobal(EAST);
  readonly zone: Plane;
  readonly #views: ReturnType<typeof createMeshViews>;
  readonly #enforcement: Enforcement;

  constructor() {
    this.zone = watchCommits(newZone(EAST, this.global), () => {}).plane;
    writeDrafts(this.zone, [proxy('web', 80), proxy('db', 81)]);
    this.#views = createMeshViews(this.zone);
    this.#enforcement = new Enforcement(this.zone, true);
  }

  fromGlobal(...drafts: readonly Draft[]): void {
    writeDrafts(this.global, drafts);
    assert.equal(carry(this.global, this.zone), 'applied');
  }

  /** As of a newer version, whose fields this one doesn't know. */
  refused({ type, name, labels }: Draft, spec: JsonObject): void {
    const key: Key = { type, mesh: 'default', zone: '', namespace: '', name };
    const wire = encodeItem({ key, labels, spec, assigned: { name: `${name}-x`, role: 'system', references: [] } });
    const inForce = inForceAfterRefusal(key, false, spec);
    const refusal = { key, hash: '00', reason: 'spec.moon: is not a known field', since: '2026-01-01T00:00:00Z', inForce };
    this.zone.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key, wire, hash: '00', term: 1, refusal }));
  }

  verdicts(name: string): string {
    const view = this.#views('default');
    const [kept, anew] = [view, readMeshView(this.zone, 'default')].map((one) => {
      const dataplane = one.dataplanes.find(({ key }) => key.name === name);
      assert.ok(dataplane);
      const ask = (path: string) =>
        can(this.zone, one, true, {
          dataplane,
          section: undefined,
          request: { spiffeIds: ['spiffe://default/ns/a/sa/b'], method: 'GET', path },
        });
      return `${ask('/admin/x').decision} ${ask('/').decision}`;
    });
    assert.equal(kept, anew);
    const enforced = JSON.stringify(this.#enforcement.rulesOf('default', `${name}.app`));
    assert.equal(enforced, JSON.stringify(new Enforcement(this.zone, true).rulesOf('default', `${name}.app`)));
    return kept ?? '';
  }
}

describe('a refused permission', () => {
  const targetRef = { kind: 'Dataplane', labels: { app: 'web' } };
  const lists = [{ default: { deny: [ANYBODY] } }];
  const cases: readonly (readonly [spec: JsonObject, web: string, db: string])[] = [
    [{ targetRef, rules: [{ default: { deny: [{ ...ANYBODY, moon: 1 }] } }] }, 'Deny', 'Allow'],
    [{ targetRef, moreTargetRefs: [{ kind: 'Dataplane', labels: { app: 'db' } }], rules: lists }, 'Deny', 'Deny'],
    [{ targetRef: { ...targetRef, orLabels: { app: 'db' } }, rules: lists }, 'Deny', 'Deny'],
    [{ targetRef: { kind: 'Planet' }, rules: lists }, 'Deny', 'Deny'],
    [{ rules: lists, moon: 1 }, 'Deny', 'Deny'],
  ];
  for (const [spec, web, db] of cases)
    it(`denies what it may select: ${JSON.stringify(spec)}`, () => {
      const world = new GlobalAndZone();
      world.fromGlobal(ALLOW);
      world.refused(permission('refused', spec), spec);
      assert.deepEqual([world.verdicts('web'), world.verdicts('db')], [`${web} ${web}`, `${db} ${db}`]);
    });

  it('that was taken by a newer version, whose store this is, denies as much', () => {
    const world = new GlobalAndZone();
    const read = permission('newer', { targetRef, rules: lists });
    world.fromGlobal(ALLOW, read);
    assert.equal(world.verdicts('db'), 'Allow Allow');
    const row = world.zone.store.get({ type: read.type, mesh: 'default', zone: '', namespace: '', name: 'newer' });
    assert.ok(row);
    const spec = { ...read.spec, moreTargetRefs: [] };
    world.zone.store.commit((tx) => tx.put({ ...row.resource, spec }, row.audience, row.wire));
    assert.equal(world.verdicts('db'), 'Deny Deny');
  });
});

describe('a permission that says nothing', () => {
  const FROM = permission('from', { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }] });
  const silent: readonly JsonObject[] = [
    {},
    { default: {} },
    { rules: [] },
    { rules: [{ default: {} }] },
    { from: [] },
    { rules: [{ default: { deny: [] } }] },
  ];

  it('and was stored before that was refused takes nothing away, nor one of an older peer', () => {
    for (const spec of silent) {
      const world = new GlobalAndZone();
      world.fromGlobal(FROM, permission('silent', { rules: [{ default: { deny: [{ ...ANYBODY, method: 'PUT' }] } }] }));
      assert.equal(world.verdicts('db'), 'Deny Deny', 'a list takes the place of `from` for everybody');
      const row = world.zone.store.get({ type: FROM.type, mesh: 'default', zone: '', namespace: '', name: 'silent' });
      assert.ok(row);
      world.zone.store.commit((tx) => tx.put({ ...row.resource, spec }, row.audience, row.wire));
      assert.equal(world.verdicts('db'), 'Allow Allow', JSON.stringify(spec));
      const fresh = new GlobalAndZone();
      fresh.fromGlobal(FROM);
      fresh.refused(permission('silent', {}), spec);
      assert.equal(fresh.verdicts('db'), 'Allow Allow', JSON.stringify(spec));
    }
  });
});

describe('a deny on a route', () => {
  it('denies all that it may be for while the route is refused, and what it is for again once it is taken', () => {
    const world = new GlobalAndZone();
    world.fromGlobal(ALLOW, ON_ROUTE, ROUTE);
    assert.deepEqual([world.verdicts('web'), world.verdicts('db')], ['Deny Allow', 'Allow Allow']);
    deleteResource(world.global, { type: 'MeshHTTPRoute', mesh: 'default', zone: '', namespace: '', name: 'admin' });
    carry(world.global, world.zone);
    assert.deepEqual([world.verdicts('web'), world.verdicts('db')], ['Deny Deny', 'Deny Deny']);
    world.refused(ROUTE, { ...ROUTE.spec, moon: 'full' });
    assert.deepEqual([world.verdicts('web'), world.verdicts('db')], ['Deny Deny', 'Deny Deny']);
    world.fromGlobal(ROUTE);
    assert.deepEqual([world.verdicts('web'), world.verdicts('db')], ['Deny Allow', 'Allow Allow']);
  });

  it('that is refused together with its route denies as much', () => {
    const world = new GlobalAndZone();
    world.fromGlobal(ALLOW);
    assert.equal(world.verdicts('web'), 'Allow Allow');
    world.refused(ROUTE, { ...ROUTE.spec, moon: 'full' });
    assert.equal(world.verdicts('web'), 'Allow Allow');
    world.refused(ON_ROUTE, { ...ON_ROUTE.spec, moon: 'full' });
    assert.equal(world.verdicts('web'), 'Deny Deny');
  });

  it('by labels is not lost either, and a view says why', () => {
    const world = new GlobalAndZone();
    const targetRef = { kind: 'MeshHTTPRoute', labels: { team: 'a' } };
    world.fromGlobal(ALLOW, { ...ON_ROUTE, spec: { ...ON_ROUTE.spec, targetRef } });
    assert.equal(world.verdicts('web'), 'Allow Allow');
    world.refused({ ...ROUTE, labels: { team: 'b' } }, { ...ROUTE.spec, moon: 'full' });
    assert.equal(world.verdicts('web'), 'Allow Allow');
    world.refused({ ...ROUTE, name: 'other', labels: { team: 'a' } }, { ...ROUTE.spec, moon: 'full' });
    assert.equal(world.verdicts('web'), 'Deny Deny');
    const view = readMeshView(world.zone, 'default');
    const [dataplane] = view.dataplanes;
    assert.ok(dataplane);
    const { warnings } = can(world.zone, view, true, { dataplane, section: undefined, request: { spiffeIds: [] } });
    assert.match(warnings.join(), /deny_ targets kri_mhttpr_default___other_, which was refused here \(spec.moon/);
  });

  it('that was refused keeps the route of before in force, if there is one', () => {
    const world = new GlobalAndZone();
    world.fromGlobal(ALLOW, ON_ROUTE, ROUTE);
    const key: Key = { type: 'MeshHTTPRoute', mesh: 'default', zone: '', namespace: '', name: 'admin' };
    const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce: inForceAfterRefusal(key, true) };
    world.zone.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key, wire: '{}', hash: '00', term: 1, refusal }));
    assert.deepEqual([world.verdicts('web'), world.verdicts('db')], ['Deny Allow', 'Allow Allow']);
  });

  it('or an allow on one that was stored before its matches were checked: the deny is for every request, the allow for none', () => {
    const broken: readonly JsonObject[] = [
      ...[
        { paths: {} },
        { Method: 'POST' },
        { header: [] },
        { headers: {} },
        { path: {} },
        { queryParams: { name: 'a' } },
        { method: 'get' },
      ],
      ...['admin', '/%61dmin', '//admin', '/admin?x=1'].map((value) => ({ path: { type: 'PathPrefix', value } })),
    ];
    const onRoute = (lists: JsonObject) => ({
      ...ON_ROUTE,
      spec: { targetRef: ON_ROUTE.spec.targetRef ?? {}, rules: [{ default: lists }] },
    });
    for (const match of broken) {
      const [denying, allowing] = [new GlobalAndZone(), new GlobalAndZone()];
      denying.fromGlobal(ALLOW, ON_ROUTE, ROUTE);
      allowing.fromGlobal(onRoute({ allow: [ANYBODY] }), ROUTE);
      assert.deepEqual([denying.verdicts('web'), allowing.verdicts('web')], ['Deny Allow', 'Allow Deny']);
      for (const world of [denying, allowing]) {
        const row = world.zone.store.get({ type: 'MeshHTTPRoute', mesh: 'default', zone: '', namespace: '', name: 'admin' });
        assert.ok(row);
        const spec = {
          to: [{ targetRef: { kind: 'MeshService', name: 'web' }, rules: rules.map((rule) => ({ ...rule, matches: [match] })) }],
        };
        world.zone.store.commit((tx) => tx.put({ ...row.resource, spec }, row.audience, row.wire));
      }
      assert.deepEqual([denying.verdicts('web'), allowing.verdicts('web')], ['Deny Deny', 'Deny Deny'], JSON.stringify(match));
    }
  });

  it('means no route of another mesh', () => {
    const world = new GlobalAndZone();
    world.fromGlobal({ ...MESH, name: 'other' }, ALLOW, { ...ROUTE, mesh: 'other' });
    world.refused({ ...ROUTE, mesh: 'other' }, { moon: 'full' });
    assert.equal(world.verdicts('web'), 'Allow Allow');
    world.fromGlobal(ON_ROUTE);
    assert.equal(world.verdicts('web'), 'Deny Deny');
  });
});
