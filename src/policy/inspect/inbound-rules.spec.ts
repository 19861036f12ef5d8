import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { dataplane, exact, fromList, permission, resource, world } from '../../../test/harness/policies.ts';
import { matchInbound } from '../match/select-policies.ts';
import { fromRules, inboundRules } from './inbound-rules.ts';
import { notesOn } from './proxy-notes.ts';
import { wholeConf } from './whole-conf.ts';

const rule = (conf: JsonObject, matches?: JsonObject[]) => ({ default: conf, ...(matches ? { matches } : {}) });
const timeout = (name: string, spec: JsonObject) => resource('MeshTimeout', name, spec);
const mesh = { targetRef: { kind: 'Mesh' } };
const dev = { kind: 'MeshSubset', tags: { env: 'dev' } };

function selecting(policies: readonly Resource[], others: readonly Resource[] = []) {
  const target = dataplane({ tags: { 'kuma.io/service': 'backend' } });
  const { policies: read, proxy, inbound, mesh: index } = world(policies, target, others);
  return { read, proxy, matches: matchInbound(read, proxy, inbound, index) };
}

describe('inboundRules', () => {
  const cases: readonly (readonly [title: string, policies: readonly Resource[], rules: readonly unknown[]])[] = [
    [
      'rules of the same matches are one, whose place is told',
      [timeout('b', { rules: [rule({ a: 1 }, [{ m: 1 }]), rule({ a: 2 })] }), timeout('a', { rules: [rule({ b: 3 })] })],
      [
        [{ a: 1 }, ['b'], [0]],
        [{ a: 2, b: 3 }, ['b', 'a'], [1, 0]],
      ],
    ],
    ['`from` for everybody is a rule', [timeout('a', { from: [{ ...mesh, default: { a: 1 } }] })], [[{ a: 1 }, ['a'], [0]]]],
    ['`from` for some is none', [timeout('a', { from: [{ targetRef: dev, default: { a: 1 } }] })], []],
    [
      'permissions stand side by side',
      [
        permission('b', { rules: [rule({ deny: [exact('spiffe://a')] }), rule({ allow: [exact('spiffe://b')] })] }),
        permission('a', { default: { allow: [exact('spiffe://a')] } }),
      ],
      [
        [{ deny: [exact('spiffe://a')] }, ['b'], [0]],
        [{ allow: [exact('spiffe://b')] }, ['b'], [1]],
        [{ allow: [exact('spiffe://a')] }, ['a'], [0]],
      ],
    ],
  ];
  for (const [title, policies, rules] of cases) {
    it(title, () => {
      const { matches } = selecting(policies);
      const shown = inboundRules(policies[0]?.key.type ?? '', matches).map(({ conf, origins, ruleIndexes }) => [
        conf,
        origins.map(({ name }) => name),
        ruleIndexes,
      ]);
      assert.deepEqual(shown, rules);
    });
  }

  it('tells the routes that a permission is for, and leaves it out of what is for all', () => {
    const ref = { kind: 'MeshService', name: 'backend' };
    const route = resource('MeshHTTPRoute', 'r', {
      to: [{ targetRef: ref, rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v2' } }], default: {} }] }],
    });
    const through = permission('p', { targetRef: { kind: 'MeshHTTPRoute', name: 'r' }, default: { allow: [exact('spiffe://a')] } });
    const { proxy, matches } = selecting([through], [route]);
    const [only] = inboundRules('MeshTrafficPermission', matches);
    assert.deepEqual(only?.routes, [route.key]);
    assert.deepEqual(
      notesOn(proxy, [matches], () => undefined),
      ['kri_mtp_default___p_ is only for requests through kri_mhttpr_default___r_'],
    );
  });
});

describe('fromRules', () => {
  it('gives each group of clients what a client of that group alone has', () => {
    const { matches } = selecting([
      permission('p', fromList([{ kind: 'Mesh' }, 'Deny'], [dev, 'Allow'], [{ kind: 'MeshSubset' }, 'Deny'])),
    ]);
    const shown = fromRules('MeshTrafficPermission', matches).map(({ targetRef, conf }) => [targetRef.kind, conf.action]);
    // The last one, for everybody, overrides what was said of some.
    assert.deepEqual(shown, [
      ['Mesh', 'Deny'],
      ['MeshSubset', 'Deny'],
    ]);
  });

  it('reads rules without matches as for everybody, where Kuma does', () => {
    const { matches } = selecting([timeout('t', { rules: [rule({ a: 1 }), rule({ a: 2 }, [{ m: 1 }])] })]);
    assert.deepEqual(
      fromRules('MeshTimeout', matches).map(({ targetRef, conf }) => [targetRef.kind, conf]),
      [['Mesh', { a: 1 }]],
    );
  });
});

describe('wholeConf', () => {
  it('concatenates the lists of permissions in any shape, with `from` beside them', () => {
    const policies = [
      permission('c', { default: { deny: [exact('spiffe://1')] } }),
      permission('b', { rules: [rule({ deny: [exact('spiffe://2')] }), rule({ allow: [exact('spiffe://3')] })] }),
      permission('a', fromList([dev, 'Allow'])),
    ];
    const merged = wholeConf('MeshTrafficPermission', selecting(policies).read);
    const from = [{ targetRef: dev, default: { action: 'Allow' } }];
    assert.deepEqual(merged?.conf, { deny: [exact('spiffe://1'), exact('spiffe://2')], allow: [exact('spiffe://3')], from });
    assert.deepEqual(
      merged?.origins.map(({ name }) => name),
      ['c', 'b', 'a'],
    );
    assert.equal(wholeConf('MeshTrafficPermission', []), undefined);
  });
});
