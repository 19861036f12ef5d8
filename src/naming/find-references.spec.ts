import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Key } from '../resource/key.ts';
import { GLOBAL, type JsonObject, type JsonValue, type Place } from '../resource/resource.ts';
import { hashedName } from './hash-name.ts';
import {
  findReferences,
  mentionsExternalService,
  referenceAt,
  renderReferences,
  resolveReference,
  type Reference,
  type Rendering,
} from './find-references.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const WEST: Place = { zone: 'west', environment: 'kubernetes', systemNamespace: 'mesh-system' };
const BARE: Place = { zone: 'bare', environment: 'universal', systemNamespace: '' };
const PLACES = [GLOBAL, EAST, WEST, BARE];

const policy: Key = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'backend-ns', name: 'slow' };
const nobody = () => undefined;

function route(filters: JsonValue, backendRefs: JsonValue): JsonObject {
  const item = { targetRef: { kind: 'MeshService', name: 'web' }, rules: [{ matches: [], default: { filters, backendRefs } }] };
  return { targetRef: { kind: 'MeshService', name: 'top' }, to: [item] };
}

/** `to.0.targetRef MeshService web`, one line a reference. */
function shown(type: string, spec: JsonObject): string[] {
  return findReferences(type, spec).map(({ path, kind, name, namespace }) => {
    return [path.join('.'), kind, name, namespace].filter((part) => part !== undefined).join(' ');
  });
}

/** JSON that looks like a spec but is broken anywhere. */
const broken: fc.Arbitrary<JsonObject> = fc
  .object({ key: fc.constantFrom('to', 'targetRef', 'rules', 'default', 'backendRefs', 'filters', 'kind', '__proto__', 'name') })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
}

describe('findReferences', () => {
  it('finds the targets of `to`, by name only', () => {
    const refs: JsonObject[] = [
      { kind: 'MeshService', name: 'a' },
      { kind: 'MeshHTTPRoute', name: 'b', namespace: 'ns' },
      { kind: 'MeshTCPRoute', name: 'c', labels: {}, namespace: '' },
      { kind: 'MeshExternalService', name: 'd' },
      { kind: 'MeshMultiZoneService', name: 'e' },
      { kind: 'MeshService', labels: { 'kuma.io/display-name': 'a' } },
      { kind: 'MeshService', name: 'f', labels: { x: 'y' } },
      { kind: 'MeshServiceSubset', name: 'g', tags: { version: 'v2' } },
      { kind: 'Mesh' },
      { kind: 'Mesh', name: 'h' },
      { kind: 'MeshService', name: '' },
    ];
    const spec = { targetRef: { kind: 'MeshService', name: 'top' }, to: refs.map((targetRef) => ({ targetRef })) };
    assert.deepEqual(shown('MeshTimeout', spec), [
      'to.0.targetRef MeshService a',
      'to.1.targetRef MeshHTTPRoute b ns',
      'to.2.targetRef MeshTCPRoute c',
      'to.3.targetRef MeshExternalService d',
      'to.4.targetRef MeshMultiZoneService e',
    ]);
  });

  const backends = [
    { kind: 'MeshService', name: 'v1', weight: 9 },
    { kind: 'MeshServiceSubset', name: 'web', tags: { version: 'v2' } },
  ];
  const mirror = [
    { type: 'RequestHeaderModifier', requestHeaderModifier: {} },
    { type: 'RequestMirror', requestMirror: { backendRef: { kind: 'MeshMultiZoneService', name: 'all', namespace: 'n' } } },
  ];

  for (const type of ['MeshHTTPRoute', 'MeshTCPRoute']) {
    it(`finds the backends and mirrors of a ${type}`, () => {
      assert.deepEqual(shown(type, route(mirror, backends)), [
        'to.0.targetRef MeshService web',
        'to.0.rules.0.default.backendRefs.0 MeshService v1',
        'to.0.rules.0.default.filters.1.requestMirror.backendRef MeshMultiZoneService all n',
      ]);
    });
  }

  it('leaves the `default` of other policies alone', () => {
    assert.deepEqual(shown('MeshRetry', route(mirror, backends)), ['to.0.targetRef MeshService web']);
    assert.deepEqual(shown('MeshTrafficPermission', route(mirror, backends)), []);
    assert.deepEqual(shown('Nonsense', route(mirror, backends)), []);
  });

  it('finds nothing in what is broken, and does not throw', () => {
    fc.assert(fc.property(broken, (spec) => assert.ok(Array.isArray(findReferences('MeshHTTPRoute', spec)))));
  });
});

describe('resolveReference', () => {
  const copy: Key = { type: 'MeshService', mesh: 'default', zone: 'west', namespace: 'w', name: 'web' };
  const copyName = hashedName(copy);
  const holder = (type: string, name: string) => (type === 'MeshService' && name === copyName ? copy : undefined);

  const cases: [title: string, reference: Omit<Reference, 'path'>, from: Partial<Key>, origin: Place, target: string][] = [
    ['its own namespace', { kind: 'MeshService', name: 'a' }, {}, EAST, 'east/backend-ns/a'],
    ['another namespace', { kind: 'MeshService', name: 'a', namespace: 'n' }, {}, EAST, 'east/n/a'],
    ['the system namespace for an external service', { kind: 'MeshExternalService', name: 'x' }, {}, EAST, 'east/kuma-system/x'],
    ['and for a multi-zone service', { kind: 'MeshMultiZoneService', name: 'x' }, {}, EAST, 'east/kuma-system/x'],
    ['a copy in the system namespace', { kind: 'MeshService', name: copyName, namespace: 'kuma-system' }, {}, EAST, 'west/w/web'],
    ['a copy, from there', { kind: 'MeshService', name: copyName }, { namespace: 'kuma-system' }, EAST, 'west/w/web'],
    ['no copy in a custom namespace', { kind: 'MeshService', name: copyName }, {}, EAST, `east/backend-ns/${copyName}`],
    ['no copy of another kind', { kind: 'MeshHTTPRoute', name: copyName }, { zone: '', namespace: '' }, GLOBAL, `//${copyName}`],
    ['no copy of another mesh', { kind: 'MeshService', name: copyName }, { mesh: 'm', zone: '', namespace: '' }, GLOBAL, `//${copyName}`],
    ['nobody, until the holder is known', { kind: 'MeshHTTPRoute', name: copyName, namespace: 'kuma-system' }, {}, EAST, `//${copyName}`],
    ['a copy on global', { kind: 'MeshService', name: copyName }, { zone: '', namespace: '' }, GLOBAL, 'west/w/web'],
    ['a copy in a universal zone', { kind: 'MeshService', name: copyName }, { zone: 'bare', namespace: '' }, BARE, 'west/w/web'],
    ['its own zone on universal', { kind: 'MeshService', name: 'a' }, { zone: 'bare', namespace: '' }, BARE, 'bare//a'],
    [
      'nothing by a namespace where there are none',
      { kind: 'MeshService', name: copyName, namespace: 'n' },
      { zone: 'bare', namespace: '' },
      BARE,
      `bare/n/${copyName}`,
    ],
  ];
  for (const [title, reference, from, origin, target] of cases) {
    it(`means ${title}`, () => {
      const key = resolveReference({ path: [], ...reference }, { ...policy, ...from }, origin, holder);
      assert.equal(`${key.zone}/${key.namespace}/${key.name}`, target);
      assert.equal(key.type, reference.kind);
      assert.equal(key.mesh, from.mesh ?? 'default');
    });
  }
});

describe('referenceAt', () => {
  const target: Key = { type: 'MeshService', mesh: 'default', zone: 'east', namespace: 'backend-ns', name: 'web' };
  const cases: [title: string, place: Place, target: Key, expected: object][] = [
    ['home', EAST, target, { name: 'web', namespace: 'backend-ns' }],
    ['another zone', WEST, target, { name: 'web-hash', namespace: 'mesh-system' }],
    ['global', GLOBAL, target, { name: 'web-hash' }],
    ['a universal zone', BARE, target, { name: 'web-hash' }],
    ['home on universal', BARE, { ...target, zone: 'bare', namespace: '' }, { name: 'web' }],
    ['home on global', GLOBAL, { ...target, zone: '', namespace: '' }, { name: 'web' }],
    ['global’s, in a zone', EAST, { ...target, zone: '', namespace: '' }, { name: 'web-hash', namespace: 'kuma-system' }],
  ];
  for (const [title, place, key, expected] of cases) {
    it(title, () => assert.deepEqual(referenceAt(place, key, 'web-hash'), expected));
  }

  it('says at every place what a policy there resolves to the same target', () => {
    const zone = fc.constantFrom(...PLACES);
    fc.assert(
      fc.property(zone, zone, (home, reader) => {
        const namespace = home.environment === 'kubernetes' ? 'backend-ns' : '';
        const key: Key = { ...target, zone: home.zone, namespace };
        const assigned = hashedName(key);
        const local: Key = { ...policy, zone: reader.zone, namespace: reader.systemNamespace };
        const reference: Reference = { path: [], kind: 'MeshService', ...referenceAt(reader, key, assigned) };
        const holder = (_: string, name: string) => (name === assigned ? key : undefined);
        assert.deepEqual(resolveReference(reference, local, reader, holder), key);
      }),
    );
  });
});

describe('renderReferences', () => {
  const backends = [{ kind: 'MeshService', name: 'v1', namespace: 'n', weight: 9 }, { kind: 'Mesh' }];
  const spec = route(
    [{ type: 'RequestMirror', requestMirror: { backendRef: { kind: 'MeshService', name: 'm' }, percentage: 5 } }],
    backends,
  );
  deepFreeze(spec);

  it('puts names and namespaces in, and takes a namespace away', () => {
    const found = findReferences('MeshHTTPRoute', spec);
    const rendered = renderReferences(
      spec,
      found.map(({ path, name }): Rendering => ({ path, name: `${name}-hash`, namespace: name === 'v1' ? undefined : 'sys' })),
    );
    assert.deepEqual(shown('MeshHTTPRoute', rendered), [
      'to.0.targetRef MeshService web-hash sys',
      'to.0.rules.0.default.backendRefs.0 MeshService v1-hash',
      'to.0.rules.0.default.filters.0.requestMirror.backendRef MeshService m-hash sys',
    ]);
    const back = renderReferences(
      rendered,
      found.map(({ path, name, namespace }): Rendering => ({ path, name, namespace })),
    );
    assert.deepEqual(back, spec);
  });

  it('shares what it does not touch', () => {
    const rendered = renderReferences(spec, [{ path: ['to', 0, 'targetRef'], name: 'x', namespace: 'y' }]);
    assert.equal(rendered.targetRef, spec.targetRef);
    const rules = (value: JsonObject) => (value.to as JsonObject[])[0]?.rules;
    assert.equal(rules(rendered), rules(spec));
    assert.notDeepEqual(rendered, spec);
    assert.equal(renderReferences(spec, []), spec);
  });

  it('passes over paths that lead nowhere', () => {
    const step = fc.oneof(fc.constantFrom('to', 'targetRef', 'kind', '__proto__', 'constructor', 'length'), fc.nat(2), fc.constant(-1));
    fc.assert(
      fc.property(broken, fc.array(step, { maxLength: 4 }), (value, path) => {
        deepFreeze(value);
        const rendered = renderReferences(value, [{ path: ['nowhere', ...path], name: 'x', namespace: undefined }]);
        assert.deepEqual(rendered, value);
        assert.ok(renderReferences(value, [{ path, name: 'x', namespace: 'y' }]));
      }),
    );
  });

  it('takes nothing inherited for a part of the spec', () => {
    for (const path of [['__proto__'], ['to', '__proto__'], ['constructor', 'prototype']]) {
      const value = { to: {} };
      assert.equal(renderReferences(value, [{ path, name: 'x', namespace: 'y' }]), value);
    }
  });
});

describe('mentionsExternalService', () => {
  const external = { kind: 'MeshExternalService', labels: { a: 'b' } };
  const cases: [title: string, spec: JsonObject, mentions: boolean][] = [
    ['in `to`', { to: [{ targetRef: external }] }, true],
    ['at the top', { targetRef: external }, true],
    ['as a backend', route([], [external]), true],
    ['as a mirror', route([{ requestMirror: { backendRef: external } }], []), true],
    ['anywhere', { whatever: { else: [[external]] } }, true],
    ['not by name alone', { to: [{ targetRef: { kind: 'MeshService', name: 'MeshExternalService' } }] }, false],
    ['not in an empty spec', {}, false],
  ];
  for (const [title, spec, mentions] of cases) {
    it(title, () => assert.equal(mentionsExternalService(spec), mentions));
  }

  it('reads specs of any depth', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(50_000)}{"kind":"MeshExternalService"}${'}'.repeat(50_000)}`) as JsonObject;
    assert.equal(mentionsExternalService(deep), true);
  });
});

describe('a copy’s reference', () => {
  it('without a holder means nobody yet', () => {
    const reference: Reference = { path: [], kind: 'MeshService', name: 'web-4444444444444444' };
    const key = resolveReference(reference, { ...policy, zone: '', namespace: '' }, GLOBAL, nobody);
    assert.deepEqual(key, { type: 'MeshService', mesh: 'default', zone: '', namespace: '', name: 'web-4444444444444444' });
  });
});
