import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import { EAST, newGlobal, newPlane, newZone, timeout, draftInApp as draft } from '../../../test/harness/control-planes.ts';
import { Enforcement } from './enforcement.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const WEB = 'spiffe://td/ns/app/sa/web';
const INBOUND: JsonObject = { name: 'web', port: 8080, servicePort: 80, protocol: 'http' };
/** Rules that allow nobody. */
const NOBODY = { action: 'ALLOW', policies: {} };

const dataplane = (name: string, inbound: readonly JsonObject[], more: JsonObject = {}) =>
  draft('Dataplane', name, { networking: { address: '127.0.0.1', inbound, ...more } });
const allow = (name: string, value: string, targetRef: JsonObject = { kind: 'Mesh' }) =>
  draft('MeshTrafficPermission', name, { targetRef, rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value } }] } }] });

let zone: Plane;
let enforcement: Enforcement;
const rulesOf = (name: string): ProxyRules | undefined => enforcement.rulesOf('default', name);
/** As it was sent: what comes later changes the object. */
const rbacOf = (name: string, index = 0): string => JSON.stringify(rulesOf(name)?.inbounds[index]?.rbac);

beforeEach(() => {
  zone = newZone(EAST, newGlobal(EAST));
  enforcement = new Enforcement(zone, true);
});

describe('the rules of a proxy', () => {
  it('are known by its REST name and mesh, and deny where nothing allows', () => {
    writeDrafts(zone, [dataplane('a', [INBOUND, { port: 5432, serviceAddress: '10.0.0.1' }])]);
    const [web, db] = rulesOf('a.app')?.inbounds ?? [];
    assert.deepEqual(web && { ...web, rbac: { ...web.rbac, '@type': '' } }, {
      name: 'web',
      address: '127.0.0.1',
      port: 8080,
      serviceAddress: undefined,
      servicePort: 80,
      protocol: 'http',
      rbac: { '@type': '', rules: NOBODY },
      plaintextToo: false,
      routes: [],
    });
    assert.deepEqual([db?.name, db?.servicePort, db?.serviceAddress, db?.protocol], ['5432', 5432, '10.0.0.1', 'tcp']);
    for (const [mesh, name] of [
      ['default', 'a'],
      ['default', 'b.app'],
      ['other', 'a.app'],
    ] as const)
      assert.equal(enforcement.rulesOf(mesh, name), undefined, `${mesh} ${name}`);
  });

  it('are the same object until something of them changes', () => {
    writeDrafts(zone, [dataplane('a', [INBOUND]), dataplane('b', [INBOUND]), allow('p', WEB)]);
    const [a, b] = [rulesOf('a.app'), rulesOf('b.app')];
    assert.ok(rbacOf('a.app').includes(WEB));
    writeDrafts(zone, [timeout('slow'), dataplane('c', [INBOUND])]);
    assert.equal(rulesOf('a.app'), a);
    writeDrafts(zone, [allow('q', `${WEB}-2`, { kind: 'Dataplane', name: 'a' })]);
    assert.notEqual(rulesOf('a.app'), a);
    assert.equal(rulesOf('b.app'), b);
    assert.ok(rbacOf('a.app').includes(`${WEB}-2`));
    writeDrafts(zone, [allow('p', `${WEB}-3`)]);
    assert.ok(rbacOf('b.app').includes(`${WEB}-3`));
    assert.ok(!rbacOf('b.app').includes(`"${WEB}"`));
    writeDrafts(zone, [dataplane('b', [{ ...INBOUND, port: 8081 }])]);
    assert.equal(rulesOf('b.app')?.inbounds[0]?.port, 8081);
    deleteResource(zone, { type: 'MeshTrafficPermission', mesh: 'default', zone: 'east', namespace: 'app', name: 'p' });
    assert.ok(!rbacOf('a.app').includes(`"${WEB}"`));
    assert.ok(!rbacOf('b.app').includes(WEB));
  });

  it('go with the Dataplane, and come back', () => {
    writeDrafts(zone, [dataplane('a', [INBOUND]), allow('p', WEB)]);
    assert.ok(rulesOf('a.app'));
    deleteResource(zone, { type: 'Dataplane', mesh: 'default', zone: 'east', namespace: 'app', name: 'a' });
    assert.equal(rulesOf('a.app'), undefined);
    writeDrafts(zone, [dataplane('a', [INBOUND])]);
    assert.ok(rbacOf('a.app').includes(WEB));
  });
});

describe('fail closed', () => {
  it('everything is denied until the first scan of global is complete, if there is a global', () => {
    writeDrafts(zone, [dataplane('a', [INBOUND]), allow('p', WEB)]);
    assert.ok(rbacOf('a.app').includes(WEB));
    const position = zone.store.mirror.position(GLOBAL_PEER);
    const without: Plane = newPlane(EAST);
    without.store.commit((tx) => {
      for (const type of ['Mesh', 'Dataplane', 'MeshTrafficPermission']) {
        for (const { resource, audience, wire } of zone.store.each(type)) tx.put(resource, audience, wire);
      }
    });
    enforcement = new Enforcement(without, true);
    const closed = rulesOf('a.app');
    assert.ok(!rbacOf('a.app').includes(WEB));
    assert.deepEqual(closed?.inbounds[0]?.rbac.rules, NOBODY);
    without.store.commit((tx) => tx.mirror.setPosition(GLOBAL_PEER, position));
    assert.notEqual(rulesOf('a.app'), closed);
    assert.ok(rbacOf('a.app').includes(WEB));
    without.store.commit((tx) => tx.mirror.setPosition(GLOBAL_PEER, undefined));
    enforcement = new Enforcement(without, false);
    assert.ok(rbacOf('a.app').includes(WEB));
  });

  it('a permission that was refused denies what it selects, though a refusal makes no revision', () => {
    writeDrafts(zone, [dataplane('a', [INBOUND]), allow('p', WEB)]);
    const open = rulesOf('a.app');
    const key = { type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name: 'refused' };
    const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce: 'deny' } as const;
    zone.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key, wire: '{}', hash: '00', term: 1, refusal }));
    assert.notEqual(rulesOf('a.app'), open);
    assert.ok(!rbacOf('a.app').includes(WEB));
  });

  it('plain text is not taken while a MeshTLS is refused', () => {
    const permissive = draft('MeshTLS', 'tls', { targetRef: { kind: 'Mesh' }, rules: [{ default: { mode: 'Permissive' } }] });
    writeDrafts(zone, [dataplane('a', [INBOUND]), permissive]);
    const taken = () => rulesOf('a.app')?.inbounds[0]?.plaintextToo;
    assert.equal(taken(), true);
    const key = { type: 'MeshTLS', mesh: 'default', zone: '', namespace: '', name: 'strict' };
    const refusal = { key, hash: '00', reason: 'too new', since: '2026-01-01T00:00:00Z', inForce: 'none' } as const;
    zone.store.commit((tx) => tx.mirror.put(GLOBAL_PEER, { key, wire: '{}', hash: '00', term: 1, refusal }));
    assert.equal(taken(), false);
    assert.match(rulesOf('a.app')?.warnings.join() ?? '', /was refused here/);
  });

  it('what of a Dataplane can’t be read is left out, and said', () => {
    const bad: readonly [inbound: JsonObject, networking?: JsonObject][] = [
      [{ name: 'x' }],
      [{ port: 0 }],
      [{ port: 1.5 }],
      [{ port: '80' }],
      [{ port: 65_536 }],
      [{ port: 1, servicePort: -1 }],
      [{ port: 1, servicePort: 'a' }],
      [{ port: 1, address: 'a.example' }],
      [{ port: 1, serviceAddress: 'a.example' }],
      [{ port: 1 }, { address: 'a.example' }],
    ];
    for (const [index, [inbound, networking]] of bad.entries()) {
      // As it came into the store, whatever admits it now.
      const made = dataplane(`a${index}`, [INBOUND]);
      writeDrafts(zone, [made]);
      const key = { type: 'Dataplane', mesh: 'default', zone: 'east', namespace: 'app', name: made.name };
      const row = zone.store.get(key);
      assert.ok(row);
      const spec = dataplane('', [inbound], networking).spec;
      zone.store.commit((tx) => tx.put({ ...row.resource, spec }, row.audience, row.wire));
      const rules = rulesOf(`${made.name}.app`);
      assert.deepEqual([rules?.inbounds, rules?.problems.length], [[], 1], JSON.stringify(inbound));
    }
    writeDrafts(zone, [
      draft('Dataplane', 'gw', { networking: { address: '127.0.0.1', gateway: { type: 'BUILTIN', tags: { 'kuma.io/service': 'gw' } } } }),
    ]);
    assert.deepEqual(rulesOf('gw.app'), { inbounds: [], problems: ['no MeshGateway with listeners selects this gateway'], warnings: [] });
  });
});
