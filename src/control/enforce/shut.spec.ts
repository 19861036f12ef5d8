import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { readProxy } from '../../policy/match/read-proxy.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { can } from '../mesh/answer-can.ts';
import { readMeshView } from '../mesh/mesh-view.ts';
import type { Plane } from '../plane/plane.ts';
import { EAST, newGlobal, newZone, draftInApp as draft } from '../../../test/harness/control-planes.ts';
import { Enforcement } from './enforcement.ts';
import { shutNotes } from '../mesh/listen-address.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

const WEB = 'spiffe://td/ns/app/sa/web';
const INBOUND: JsonObject = { name: 'web', port: 8080, servicePort: 80, protocol: 'http' };

const dataplane = (name: string, inbound: readonly JsonObject[], more: JsonObject = {}) =>
  draft('Dataplane', name, { networking: { address: '127.0.0.1', inbound, ...more } });
const allow = (name: string, value: string, targetRef: JsonObject = { kind: 'Mesh' }) =>
  draft('MeshTrafficPermission', name, { targetRef, rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value } }] } }] });

let zone: Plane;
let enforcement: Enforcement;
const rulesOf = (name: string): ProxyRules | undefined => enforcement.rulesOf('default', name);

beforeEach(() => {
  zone = newZone(EAST, newGlobal(EAST));
  enforcement = new Enforcement(zone, true);
});

describe('what is stored and can’t be built', () => {
  /** A Dataplane as it came into the store before today's validation. */
  function store(name: string, inbound: readonly JsonObject[], networking: JsonObject = {}): Resource {
    writeDrafts(zone, [dataplane(name, [INBOUND])]);
    const row = zone.store.get({ type: 'Dataplane', mesh: 'default', zone: 'east', namespace: 'app', name });
    assert.ok(row);
    const resource = { ...row.resource, spec: dataplane('', inbound, networking).spec };
    zone.store.commit((tx) => tx.put(resource, row.audience, row.wire));
    return resource;
  }
  const ask = (resource: Resource, section: string) => {
    const request = { spiffeIds: [WEB], method: 'GET', path: '/' };
    return can(zone, readMeshView(zone, 'default'), true, { dataplane: resource, section, request });
  };
  const GOOD = { ...INBOUND, name: 'good', port: 9000 };

  it('inbounds that share a name or a socket are shut, each for itself: `can`, the ledger and inspection say so', () => {
    const table: readonly [clashing: readonly JsonObject[], sections: readonly string[], reason: RegExp][] = [
      [[INBOUND, { ...INBOUND, port: 8081 }], ['web'], /called web too/],
      [[INBOUND, { ...INBOUND, name: 'x' }], ['web', 'x'], /on its socket too, 127.0.0.1 8080/],
      [
        [
          { port: 80, address: '::1' },
          { port: 80, address: '127.0.0.2' },
        ],
        ['80'],
        /called 80 too/,
      ],
      [
        [
          { ...INBOUND, address: '::1' },
          { ...INBOUND, name: 'x', address: '0:0:0:0:0:0:0:1' },
        ],
        ['web', 'x'],
        /::1 8080/,
      ],
      [
        [
          { ...INBOUND, address: '127.0.0.1' },
          { ...INBOUND, name: 'x', address: '::ffff:127.0.0.1' },
        ],
        ['web', 'x'],
        /127.0.0.1 8080/,
      ],
      [[{ ...INBOUND, name: '8081' }, { port: 8081 }], ['8081'], /called 8081 too/],
      [[{ ...INBOUND, name: 'a\ud800' }], ['a\ud800'], /not well formed/],
    ];
    writeDrafts(zone, [allow('p', WEB)]);
    for (const [index, [clashing, sections, reason]] of table.entries()) {
      const name = `d${index}`;
      const resource = store(name, [...clashing, GOOD]);
      const rules = rulesOf(`${name}.app`);
      const shut = rules?.inbounds.filter((one) => one.shut !== undefined) ?? [];
      assert.equal(shut.length, clashing.length, name);
      for (const one of shut) {
        assert.match(one.shut ?? '', reason);
        assert.deepEqual([one.rbac, one.routes, one.plaintextToo], [{ rules: {} }, [], false]);
      }
      assert.ok(JSON.stringify(rules?.inbounds.find((one) => one.name === 'good')?.rbac).includes(WEB));
      assert.equal(rules?.problems.length, clashing.length);
      for (const section of sections) {
        const { decision, reason: why } = ask(resource, section);
        assert.equal(decision, 'Deny');
        assert.match(why, reason);
      }
      assert.equal(ask(resource, 'good').decision, 'Allow');
      assert.deepEqual(shutNotes(readProxy(resource, readMeshView(zone, 'default').index)), rules?.problems);
    }
  });

  it('what only the building showed is said by `can` too', () => {
    const resource = store('a', [INBOUND, GOOD]);
    writeDrafts(zone, [allow('p', WEB)]);
    const request = { spiffeIds: [WEB], method: 'GET', path: '/' };
    const asked = { dataplane: resource, request, shut: [{ inbound: 'web', reason: 'no Unicode' }] };
    const view = readMeshView(zone, 'default');
    assert.match(can(zone, view, true, { ...asked, section: 'web' }).reason, /nobody gets in.*no Unicode/);
    assert.equal(can(zone, view, true, { ...asked, section: 'good' }).decision, 'Allow');
  });

  it('whatever is stored, the rules of a proxy can be made, and nobody else is held up', () => {
    writeDrafts(zone, [allow('p', WEB)]);
    const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    const piece = fc.oneof(
      value,
      fc.constantFrom<JsonValue>('\ud800', {}, [], null, 1, { kind: 'MeshHTTPRoute', name: 'r' }, { kind: 'Dataplane' }),
    );
    const item = fc.record({ targetRef: piece, default: piece, rules: piece, matches: piece }, { requiredKeys: [] });
    const spec = fc.record(
      {
        targetRef: piece,
        from: fc.oneof(piece, fc.array(item)),
        to: fc.oneof(piece, fc.array(item)),
        rules: fc.oneof(piece, fc.array(item)),
        default: piece,
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>;
    const types = [
      'MeshTrafficPermission',
      'MeshHTTPRoute',
      'MeshTCPRoute',
      'MeshTLS',
      'MeshTimeout',
      'MeshService',
      'MeshGateway',
      'Mesh',
    ];
    const good = dataplane('good', [INBOUND]);
    writeDrafts(zone, [
      good,
      ...types.slice(0, 5).map((type) => draft(type, 'x', GOOD_SPEC[type] ?? {})),
      draft('MeshService', 'x', { ports: [{ port: 80 }] }),
    ]);
    fc.assert(
      fc.property(fc.constantFrom('Dataplane', ...types), spec, fc.array(fc.oneof(item, piece)), (type, body, inbound) => {
        const own =
          type === 'Mesh'
            ? { type, mesh: '', zone: '', namespace: '', name: 'default' }
            : { type, mesh: 'default', zone: 'east', namespace: 'app', name: 'x' };
        const row = zone.store.get(own) ?? zone.store.get({ ...own, type: 'MeshService' });
        assert.ok(row);
        const resource = { ...row.resource, key: own, spec: type === 'Dataplane' ? { networking: { address: '::1', inbound } } : body };
        zone.store.commit((tx) => tx.put(resource, row.audience, row.wire));
        for (const name of ['x.app', 'good.app']) assert.doesNotThrow(() => rulesOf(name));
        assert.equal(rulesOf('good.app')?.inbounds.length, 1);
      }),
      { numRuns: 60 },
    );
  });
});

/** As they are accepted. */
const GOOD_SPEC: Readonly<Record<string, JsonObject>> = {
  MeshTrafficPermission: { targetRef: { kind: 'Mesh' }, rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value: WEB } }] } }] },
  MeshHTTPRoute: { to: [{ targetRef: { kind: 'MeshService', name: 'x' }, rules: [] }] },
  MeshTCPRoute: { to: [{ targetRef: { kind: 'MeshService', name: 'x' }, rules: [] }] },
  MeshTLS: { targetRef: { kind: 'Mesh' }, rules: [{ default: { mode: 'Strict' } }] },
  MeshTimeout: { to: [{ targetRef: { kind: 'MeshService', name: 'x' }, default: { connectionTimeout: '1s' } }] },
};
