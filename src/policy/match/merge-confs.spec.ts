import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { dataplane, permission, resource, world } from '../../../test/harness/policies.ts';
import { sansOf } from './client-sans.ts';
import { fromItems, mergeFrom, mergeRules, mergeSingle } from './inbound-items.ts';
import { canonical, mergeConfs } from './merge-confs.ts';
import { readPolicies } from './read-policies.ts';
import { type Destination, mergeTo, targetsOf, toItems } from './to-items.ts';

const rule = (path: string, conf: JsonObject): JsonObject => ({ matches: [{ path: { type: 'PathPrefix', value: path } }], default: conf });

const confs: readonly (readonly [type: string, weaker: JsonObject, stronger: JsonObject, merged: JsonObject])[] = [
  ['MeshTimeout', { a: 1, b: { c: 1, d: 1 } }, { b: { d: 2 } }, { a: 1, b: { c: 1, d: 2 } }],
  ['MeshTimeout', { list: [1, 2, 3] }, { list: [4] }, { list: [4] }],
  ['MeshTimeout', { list: [1] }, { list: [] }, { list: [] }],
  ['MeshTimeout', { appendArray: [1, 2, 3] }, { appendArray: [4] }, { appendArray: [1, 2, 3, 4] }],
  ['MeshPassthrough', { appendMatch: ['a'] }, { appendMatch: ['b'] }, { appendMatch: ['a', 'b'] }],
  ['MeshProxyPatch', { appendModifications: ['a'] }, { appendModifications: ['b'] }, { appendModifications: ['a', 'b'] }],
  [
    'MeshTrafficPermission',
    { deny: [1], allow: [1] },
    { deny: [2], allowWithShadowDeny: [3] },
    { deny: [1, 2], allow: [1], allowWithShadowDeny: [3] },
  ],
  ['MeshTimeout', { deny: [1] }, { deny: [2] }, { deny: [2] }],
  ['MeshTimeout', { a: { b: 1 } }, { a: 2 }, { a: 2 }],
  ['MeshTimeout', { a: 2 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['MeshTimeout', { a: 2 }, { a: null }, { a: 2 }],
  [
    'MeshHTTPRoute',
    { rules: [rule('/a', { filters: [1], backendRefs: [1] }), rule('/b', {})] },
    { rules: [rule('/c', {}), rule('/a', { backendRefs: [2] })] },
    { rules: [rule('/a', { filters: [1], backendRefs: [2] }), rule('/b', {}), rule('/c', {})] },
  ],
];

describe('merging two confs', () => {
  for (const [type, weaker, stronger, merged] of confs) {
    it(`${type}: ${JSON.stringify(weaker)} under ${JSON.stringify(stronger)}`, () => {
      const before = JSON.stringify([weaker, stronger]);
      assert.deepEqual(mergeConfs(type, weaker, stronger), merged);
      assert.equal(JSON.stringify([weaker, stronger]), before);
    });
  }

  it('is safe against fields that mean something to objects', () => {
    const evil = JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}') as JsonObject;
    const merged = mergeConfs('MeshTimeout', evil, evil);
    assert.equal(JSON.stringify(merged), JSON.stringify(evil));
    assert.equal((merged as { admin?: boolean }).admin, undefined);
  });

  const object = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.anything({ maxDepth: 2, values: [fc.integer(), fc.boolean()] }),
  ) as fc.Arbitrary<JsonObject>;

  it('changes nothing when a conf comes again', () => {
    fc.assert(
      fc.property(object, object, (weaker, stronger) => {
        const [x, y] = [JSON.parse(JSON.stringify(weaker)) as JsonObject, JSON.parse(JSON.stringify(stronger)) as JsonObject];
        const once = mergeConfs('MeshTimeout', x, y);
        assert.equal(canonical(mergeConfs('MeshTimeout', once, y)), canonical(once));
      }),
    );
  });
});

describe('merging the lists of policies', () => {
  const timeout = (name: string, spec: JsonObject, from = '', labels = {}) => resource('MeshTimeout', name, spec, from, labels);
  const item = (targetRef: JsonObject, conf: JsonObject): JsonObject => ({ targetRef, default: conf });
  const names = (origins: readonly { name: string }[] = []) => origins.map(({ name }) => name);
  const msvc = (name: string, from: string) => resource('MeshService', name, {}, from, { team: 'a' });
  const [here, there] = [msvc('backend', 'east/ns'), msvc('backend', 'west/ns')];
  const copy: Resource = { ...there, name: 'backend-copy', namespace: 'kuma-system' };
  const external = { ...resource('MeshExternalService', 'db', {}, 'east/kuma-system') };

  function to(policies: readonly Resource[], destination: Destination) {
    const { policies: read, mesh } = world(policies, dataplane({ from: 'east/ns' }), [here, copy, external]);
    return mergeTo('MeshTimeout', toItems(read), destination, mesh);
  }

  const cases: readonly (readonly [targetRef: JsonObject, destination: Destination, expected: boolean])[] = [
    [{ kind: 'Mesh' }, {}, true],
    [{ kind: 'MeshService', name: 'backend' }, { resource: here }, true],
    [{ kind: 'MeshService', name: 'backend', namespace: 'ns' }, { resource: here }, true],
    [{ kind: 'MeshService', name: 'backend', namespace: 'os' }, { resource: here }, false],
    [{ kind: 'MeshService', name: 'backend' }, { resource: copy }, false],
    [{ kind: 'MeshService', name: 'backend-copy', namespace: 'kuma-system' }, { resource: copy }, true],
    [{ kind: 'MeshService', name: 'backend-copy', namespace: 'kuma-system' }, { resource: here }, false],
    [{ kind: 'MeshService', labels: { team: 'a' } }, { resource: copy }, true],
    [{ kind: 'MeshService', labels: { 'kuma.io/zone': 'west' } }, { resource: here }, false],
    [{ kind: 'MeshService', name: 'backend', sectionName: '80' }, { resource: here, sections: ['80', 'web'] }, true],
    [{ kind: 'MeshService', name: 'backend', sectionName: '81' }, { resource: here, sections: ['80', 'web'] }, false],
    // A producer means its own service: that tag may be anybody's.
    [{ kind: 'MeshService', name: 'backend' }, { tags: { 'kuma.io/service': 'backend' } }, false],
    [{ kind: 'MeshServiceSubset', name: 'backend', tags: { v: '1' } }, { tags: { 'kuma.io/service': 'backend', v: '1' } }, true],
    [{ kind: 'MeshServiceSubset', name: 'backend', tags: { v: '2' } }, { tags: { 'kuma.io/service': 'backend', v: '1' } }, false],
    [{ kind: 'MeshExternalService', name: 'db' }, { resource: external }, true],
    [{ kind: 'MeshExternalService', name: 'db' }, { resource: here }, false],
    [{ kind: 'MeshService', name: 'backend' }, { parent: { resource: here } }, true],
  ];
  for (const [targetRef, destination, expected] of cases) {
    it(`to ${JSON.stringify(targetRef)} of a policy in east/ns: ${expected}`, () => {
      const found = to([timeout('t', { to: [item(targetRef, { a: 1 })] }, 'east/ns')], destination);
      assert.deepEqual(found?.conf, expected ? { a: 1 } : undefined);
    });
  }

  it('names the origins in order, once each', () => {
    const mesh = { kind: 'Mesh' };
    const weak = timeout('weak', { to: [item(mesh, { a: 1 }), item(mesh, { b: 1 })] });
    const strong = timeout('strong', { to: [item({ kind: 'MeshService', name: 'backend' }, { a: 2 })] }, 'east');
    const elsewhere = timeout('elsewhere', { to: [item({ kind: 'MeshService', name: 'other' }, { a: 3 })] });
    const found = to([strong, weak, elsewhere], { tags: { 'kuma.io/service': 'backend' } });
    assert.deepEqual(found?.conf, { a: 2, b: 1 });
    assert.deepEqual(names(found?.origins), ['weak', 'strong']);
    const refs = targetsOf(toItems(readPolicies([weak, strong, elsewhere])));
    assert.deepEqual(
      refs.map(({ kind, name }) => name ?? kind),
      ['Mesh', 'other', 'backend'],
    );
  });

  it('leaves shadow policies out', () => {
    const shadow = timeout('s', { to: [item({ kind: 'Mesh' }, { a: 1 })] }, '', { 'kuma.io/effect': 'shadow' });
    assert.equal(to([shadow], {}), undefined);
  });

  it('merges a route’s items by their rules', () => {
    const rules = (path: string, weight: number) => [
      { matches: [{ path: { type: 'PathPrefix', value: path } }], default: { backendRefs: [{ kind: 'MeshService', name: 'b', weight }] } },
    ];
    const route = (name: string, list: JsonObject[]) =>
      resource('MeshHTTPRoute', name, { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: list }] });
    const read = readPolicies([route('b', [...rules('/a', 1), ...rules('/b', 1)]), route('a', rules('/a', 2))]);
    const { mesh } = world([], dataplane());
    const found = mergeTo('MeshHTTPRoute', toItems(read), { tags: { 'kuma.io/service': 'backend' } }, mesh);
    assert.deepEqual(found?.conf, { rules: [...rules('/a', 2), ...rules('/b', 1)] });
  });

  it('`from` by client, `rules` by matches, single as a whole', () => {
    const dev = { kind: 'MeshSubset', tags: { env: 'dev' } };
    const from = readPolicies([
      timeout('b', { from: [item({}, { a: 1, b: 1 }), item(dev, { b: 2 })] }),
      timeout('a', { from: [{ default: { c: 3 } }] }),
    ]);
    const client = (tags: Record<string, string>, mesh = 'default') =>
      mergeFrom('MeshTimeout', fromItems(from), sansOf(mesh, { 'kuma.io/service': 'web', ...tags }))?.conf;
    assert.deepEqual(client({ env: 'dev' }), { a: 1, b: 2, c: 3 });
    assert.deepEqual(client({ env: 'prod' }), { a: 1, b: 1, c: 3 });
    assert.deepEqual(client({ env: 'dev' }, 'other'), undefined);

    const get = [{ method: 'GET' }];
    const rules = readPolicies([
      timeout('b', { rules: [{ default: { a: 1 } }, { matches: get, default: { a: 2 } }] }),
      timeout('a', { rules: [{ matches: get, default: { b: 3 } }] }),
    ]);
    const merged = mergeRules('MeshTimeout', rules).map(({ matches, conf, origins }) => [matches, conf, names(origins)]);
    assert.deepEqual(merged, [
      [[], { a: 1 }, ['b']],
      [get, { a: 2, b: 3 }, ['b', 'a']],
    ]);

    const single = readPolicies(
      ['b', 'a'].map((name) =>
        permission(name, { default: { deny: [{ method: 'GET' }], allow: [{ path: { type: 'Exact', value: `/${name}` } }] } }),
      ),
    );
    assert.deepEqual(mergeSingle('MeshTrafficPermission', single)?.conf, {
      deny: [{ method: 'GET' }, { method: 'GET' }],
      allow: [{ path: { type: 'Exact', value: '/b' } }, { path: { type: 'Exact', value: '/a' } }],
    });
  });
});
