import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject, Resource } from '../resource/resource.ts';
import { danglingSelections, type Referable } from './dangling-selections.ts';
import { dataplane, exact, permission, resource } from '../../test/harness/policies.ts';
import { LabelIndex } from './match/carried-labels.ts';
import { indexMesh } from './match/mesh-index.ts';
import { readPolicies } from './match/read-policies.ts';
import { readProxy } from './match/read-proxy.ts';
import { matchProxy } from './match/select-policies.ts';

function referable(resources: readonly Resource[]): Referable {
  const ofType = (type: string) => resources.filter(({ key }) => key.type === type);
  const gateways = ofType('MeshGateway');
  return {
    gateways,
    holder: () => undefined,
    carried: (type) => new LabelIndex(ofType(type), indexMesh(gateways)),
    named: (type, { resource: { key } }, { name, namespace = key.namespace }) =>
      ofType(type).filter((one) => one.key.name === name && one.key.zone === key.zone && one.key.namespace === namespace),
  };
}

const tags = { 'kuma.io/service': 'backend', env: 'prod' };
const route = resource('MeshHTTPRoute', 'r', { to: [] }, 'east', { team: 'a' });
const service = resource('MeshService', 'svc', { ports: [{ port: 80, name: 'web' }] }, 'east', { team: 'a' });
const gateway = resource(
  'MeshGateway',
  'edge',
  { selectors: [{ match: { env: 'gw' } }], conf: { listeners: [{ port: 80, tags: { l: '1' } }] } },
  'east',
);
const atGateway = resource(
  'Dataplane',
  'gw',
  { networking: { address: '1.1.1.1', gateway: { type: 'BUILTIN', tags: { env: 'gw' } } } },
  'east',
);
const there = referable([dataplane({ labels: { app: 'web' }, tags }), route, service, gateway, atGateway]);

const DENY = { deny: [exact('spiffe://a/b')] };
const ALLOW = { allow: [exact('spiffe://a/b')] };

/** What is said of a permission with this targetRef: nothing, or what it must hold. */
const TOPS: readonly (readonly [targetRef: JsonObject, said: RegExp | undefined, conf?: JsonObject])[] = [
  [{}, undefined],
  [{ kind: 'Mesh' }, undefined],
  [{ kind: 'Dataplane' }, undefined],
  [{ kind: 'Dataplane', labels: { app: 'web' } }, undefined],
  [
    { kind: 'Dataplane', labels: { app: 'wbe' } },
    /^spec.targetRef: no Dataplane that it reaches has the labels app=wbe: it selects nothing$/,
  ],
  [{ kind: 'Dataplane', labels: { app: 'web', b: 'c' } }, /the labels app=web, b=c: it selects nothing$/],
  [{ kind: 'Dataplane', name: 'backend-1' }, undefined],
  [{ kind: 'Dataplane', name: 'nope' }, /Dataplane "nope" is not here: it selects nothing$/],
  [{ kind: 'Dataplane', name: 'backend-1', sectionName: 'main' }, undefined],
  [{ kind: 'Dataplane', name: 'backend-1', sectionName: '8080' }, undefined],
  [{ kind: 'Dataplane', name: 'backend-1', sectionName: 'admin' }, /no inbound of what it targets is called "admin": it selects nothing$/],
  [{ kind: 'Dataplane', labels: { app: 'web' }, sectionName: 'admin' }, /is called "admin"/],
  [{ kind: 'Dataplane', sectionName: 'admin' }, /is called "admin"/],
  [{ kind: 'Dataplane', sectionName: 'main' }, undefined],
  [{ kind: 'MeshSubset', tags: { env: 'prod' } }, undefined],
  [{ kind: 'MeshSubset', tags: { l: '1' } }, undefined],
  [{ kind: 'MeshSubset', tags: {} }, undefined],
  [{ kind: 'MeshSubset', tags: { env: 'dev' } }, /an inbound with the tags env=dev: it selects nothing$/],
  [{ kind: 'MeshServiceSubset', name: 'backend', tags: { env: 'prod' } }, undefined],
  [{ kind: 'MeshServiceSubset', name: 'backend', tags: { env: 'dev' } }, /kuma.io\/service=backend, env=dev/],
  [{ kind: 'MeshService', name: 'backend' }, undefined],
  [{ kind: 'MeshService', name: 'svc' }, undefined],
  [
    { kind: 'MeshService', name: 'nope' },
    /MeshService "nope" is not here, and no inbound that it reaches has the tag kuma.io\/service=nope/,
  ],
  [{ kind: 'MeshService', name: 'svc', sectionName: 'web' }, undefined],
  [{ kind: 'MeshService', name: 'svc', sectionName: 'grpc' }, /MeshService svc has no port "grpc": it selects nothing$/],
  [{ kind: 'MeshService', labels: { team: 'a' } }, undefined],
  [{ kind: 'MeshService', labels: { team: 'b' } }, /no MeshService here has the labels team=b/],
  [{ kind: 'MeshGateway', name: 'edge' }, undefined],
  [{ kind: 'MeshGateway', name: 'nope' }, /MeshGateway "nope" is not here/],
  [{ kind: 'MeshHTTPRoute', name: 'r' }, undefined],
  [{ kind: 'MeshHTTPRoute', labels: { team: 'b' } }, /no MeshHTTPRoute here has the labels team=b: it selects nothing$/],
  [{ kind: 'MeshGatewayRoute', name: 'nope' }, /MeshHTTPRoute "nope" is not here: until it is, its denies hold for every request/],
  [{ kind: 'MeshTCPRoute', name: 'nope' }, /MeshTCPRoute "nope" is not here: until it is, its denies hold for every request/],
  [{ kind: 'MeshHTTPRoute', name: 'nope' }, /MeshHTTPRoute "nope" is not here: it selects nothing$/, ALLOW],
];

describe('what selects nothing is told: the top-level targetRef', () => {
  for (const [targetRef, said, conf = DENY] of TOPS) {
    it(`${JSON.stringify(targetRef)}${conf === ALLOW ? ', allow alone' : ''}`, () => {
      const found = danglingSelections(permission('p', { targetRef, default: conf }, 'east'), there);
      assert.equal(found.length, said ? 1 : 0, found.join());
      if (said) assert.match(found.join(), said);
    });
  }

  it('but not where there are too many to look at', () => {
    const many = { ...there, carried: () => undefined };
    assert.deepEqual(
      danglingSelections(permission('p', { targetRef: { kind: 'Dataplane', labels: { a: 'b' } }, default: DENY }, 'east'), many),
      [],
    );
  });

  it('as the matcher has it, whatever proxies and policies there are', () => {
    const word = fc.constantFrom('a', 'b');
    const pairs = fc.dictionary(word, word, { maxKeys: 2 });
    const from = fc.constantFrom('east', 'east/n', 'west/n');
    const proxies = fc.array(fc.record({ name: word, from, labels: pairs, tags: pairs }), { maxLength: 4 });
    const sectionName = fc.option(fc.constantFrom('main', '8080', 'x'), { nil: undefined });
    const some = pairs.filter((given) => Object.keys(given).length > 0);
    const ref = fc.oneof(
      fc.record({ kind: fc.constant('Dataplane'), labels: some, sectionName }),
      fc.record({ kind: fc.constant('Dataplane'), name: word, sectionName }),
      fc.record({ kind: fc.constant('MeshSubset'), tags: some }),
      fc.record({ kind: fc.constant('MeshServiceSubset'), name: word, tags: pairs }),
    );
    fc.assert(
      fc.property(proxies, ref, fc.constantFrom('', 'east', 'east/n', 'west/n'), (shapes, targetRef, origin) => {
        const dataplanes = [...new Map(shapes.map((shape) => [`${shape.from} ${shape.name}`, dataplane(shape)])).values()];
        const policy = permission('p', { targetRef: JSON.parse(JSON.stringify(targetRef)) as JsonObject, default: DENY }, origin);
        const index = indexMesh(dataplanes);
        const selects = dataplanes.some((one) => matchProxy(readPolicies([policy]), readProxy(one, index), index).length > 0);
        assert.equal(danglingSelections(policy, referable(dataplanes)).length, selects ? 0 : 1);
      }),
    );
  });
});

describe('what selects nothing is told: within a policy', () => {
  const timeoutTo = (targetRef: JsonObject) => resource('MeshTimeout', 't', { to: [{ targetRef, default: {} }] }, 'east');
  const cases: readonly (readonly [title: string, policy: Resource, said: RegExp | undefined])[] = [
    ['labels that a service has', timeoutTo({ kind: 'MeshService', labels: { team: 'a' } }), undefined],
    [
      'labels that none has',
      timeoutTo({ kind: 'MeshService', labels: { team: 'b' } }),
      /^spec.to\[0\].targetRef: no MeshService here has the labels team=b$/,
    ],
    ['labels of another kind', timeoutTo({ kind: 'MeshExternalService', labels: { team: 'a' } }), /no MeshExternalService here/],
    ['a port of a service', timeoutTo({ kind: 'MeshService', name: 'svc', sectionName: 'web' }), undefined],
    ['its number', timeoutTo({ kind: 'MeshService', name: 'svc', sectionName: '80' }), undefined],
    [
      'a port that it does not have',
      timeoutTo({ kind: 'MeshService', name: 'svc', sectionName: 'x' }),
      /spec.to\[0\].targetRef: MeshService svc has no port "x"$/,
    ],
    ['a service that is not here is told elsewhere', timeoutTo({ kind: 'MeshService', name: 'gone', sectionName: 'x' }), undefined],
    [
      'a backend by labels',
      resource(
        'MeshHTTPRoute',
        'x',
        { to: [{ targetRef: { kind: 'Mesh' }, rules: [{ default: { backendRefs: [{ kind: 'MeshService', labels: { team: 'b' } }] } }] }] },
        'east',
      ),
      /spec.to\[0\].rules\[0\].default.backendRefs\[0\]: no MeshService here has the labels team=b/,
    ],
    ['what is no policy', resource('MeshTrust', 'x', { targetRef: { kind: 'Dataplane', name: 'x' } }), undefined],
  ];
  for (const [title, policy, said] of cases) {
    it(title, () => {
      const found = danglingSelections(policy, there);
      assert.equal(found.length, said ? 1 : 0, found.join());
      if (said) assert.match(found.join(), said);
    });
  }
});

it('what is put, put again and deleted is found as it is', () => {
  const carried = new LabelIndex([], indexMesh([]));
  const has = (labels: Readonly<Record<string, string>>) => carried.some({ labels }, () => true);
  carried.put(dataplane({ labels: { app: 'a' } }));
  assert.deepEqual([has({ app: 'a' }), has({ app: 'b' })], [true, false]);
  carried.put(dataplane({ labels: { app: 'b' } }));
  assert.deepEqual([has({ app: 'a' }), has({ app: 'b' })], [false, true]);
  carried.delete(dataplane().key);
  assert.equal(has({ app: 'b' }), false);
});
