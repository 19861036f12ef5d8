import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDocument, parseDocuments } from './parse-documents.ts';
import type { Draft } from '../resource.ts';
import { validateDraft } from './validate-draft.ts';

function draftOf(text: string): Draft | undefined {
  const [document] = parseDocuments(text);
  assert.deepEqual(document?.problems, []);
  return document.draft;
}

const BASE: Draft = { type: 'MeshTimeout', mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec: {} };

const READ: readonly [name: string, text: string, draft: Draft][] = [
  [
    'Universal',
    'type: MeshTimeout\nmesh: m1\nname: a\nlabels: {x: z}\nspec: {to: []}',
    { ...BASE, mesh: 'm1', labels: { x: 'z' }, spec: { to: [] } },
  ],
  ['Universal without a mesh', 'type: MeshTimeout\nname: a\nspec: {}', BASE],
  ['Universal without a body', 'type: MeshTimeout\nname: a\nlabels:\nspec:', BASE],
  [
    'Universal with a namespace',
    'type: MeshTimeout\nname: a\nlabels: {k8s.kuma.io/namespace: ns}',
    { ...BASE, namespace: 'ns', labels: { 'k8s.kuma.io/namespace': 'ns' } },
  ],
  [
    'Universal with a body at the top',
    'type: Zone\nname: z\nenabled: true',
    { ...BASE, type: 'Zone', mesh: '', name: 'z', spec: { enabled: true } },
  ],
  [
    'Universal with such a body under spec',
    'type: Zone\nname: z\nspec: {enabled: true}',
    { ...BASE, type: 'Zone', mesh: '', name: 'z', spec: { enabled: true } },
  ],
  [
    'what kumactl sends',
    '{"type":"MeshTimeout","mesh":"default","name":"a","creationTime":"0001-01-01T00:00:00Z","modificationTime":"0001-01-01T00:00:00Z","kri":"kri_x","spec":{}}',
    BASE,
  ],
  [
    'Kubernetes',
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a, namespace: ns}\nspec: {}',
    { ...BASE, namespace: 'ns' },
  ],
  [
    'Kubernetes with the mesh as a label',
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a, labels: {kuma.io/mesh: m1}}\nspec: {}',
    { ...BASE, mesh: 'm1', labels: { 'kuma.io/mesh': 'm1' } },
  ],
  [
    'Kubernetes as docs/design/sources.md#namespace writes a MeshGateway',
    'apiVersion: kuma.io/v1alpha1\nkind: MeshGateway\nmesh: m1\nmetadata:\n  name: edge\nspec:\n  conf: {listeners: []}',
    { ...BASE, type: 'MeshGateway', mesh: 'm1', name: 'edge', spec: { conf: { listeners: [] } } },
  ],
  [
    'Kubernetes as an API server shows it',
    `{apiVersion: kuma.io/v1alpha1, kind: Mesh, metadata: {name: m, creationTimestamp: x, resourceVersion: '1', uid: u, generation: 1,
      managedFields: [{a: {}}], annotations: {k: v}}, spec: {mtls: {}}, status: {x: 1}}`,
    { ...BASE, type: 'Mesh', mesh: '', name: 'm', spec: { mtls: {} } },
  ],
  [
    'Kubernetes as owners, controllers and older tools leave it',
    `{apiVersion: kuma.io/v1alpha1, kind: MeshTimeout, metadata: {name: a, namespace: ns, generateName: a-, selfLink: /apis/x, finalizers: [x/y],
      ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}], deletionTimestamp: null, deletionGracePeriodSeconds: 30}, spec: {}}`,
    { ...BASE, namespace: 'ns' },
  ],
  [
    'a status that counts',
    'type: MeshService\nname: a\nspec: {}\nstatus: {vips: []}',
    { ...BASE, type: 'MeshService', status: { vips: [] } },
  ],
  [
    'ClusterLink',
    'apiVersion: clusterlink.net/v1alpha1\nkind: PrivilegedAccessPolicy\nmetadata: {name: a}\nspec: {action: deny}',
    { ...BASE, type: 'PrivilegedAccessPolicy', spec: { action: 'deny' } },
  ],
];

test('an object that is being deleted is not applied again', () => {
  const [document] = parseDocuments(
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a, deletionTimestamp: 2026-01-01T00:00:00Z}\nspec: {}',
  );
  assert.deepEqual(
    document?.problems.map(({ field }) => field),
    ['metadata.deletionTimestamp'],
  );
});

test('reads what users write', async (t) => {
  for (const [name, text, draft] of READ) await t.test(name, () => assert.deepEqual(draftOf(text), draft));
});

const REFUSED: readonly [text: string, problems: [field: string, reason: RegExp][]][] = [
  ['- 1', [['document', /must be an object/]]],
  ['a: 1', [['type', /is missing/]]],
  ['type: Mesh\nkind: Mesh', [['kind', /Kubernetes format/]]],
  ['type: Mesh\nmetadata: {}', [['metadata', /Kubernetes format/]]],
  ['metadata: {}', [['kind', /is missing/]]],
  ['type: 1', [['type', /must be a string/]]],
  ['type: MeshTimeuot', [['type', /did you mean MeshTimeout/]]],
  ['type: Timeout', [['type', /did you mean MeshTimeout/]]],
  ['type: meshtimeout', [['type', /did you mean MeshTimeout/]]],
  ['type: Pod', [['type', /"Pod" is not a kind$/]]],
  ['type: __proto__', [['type', /is not a kind/]]],
  ['type: UpstreamTimeout\nname: a\nconf: {}', [['conf', /meridianctl convert/]]],
  ['type: MeshTrafficPermission\nname: a\nspec: {conf: {from: []}}', [['spec.conf', /meridianctl convert/]]],
  // Kuma's older kinds have a `conf` too, which nothing converts.
  ['type: Timeout\nname: a\nsources: []\nconf: {connectTimeout: 1s}', [['type', /is not a kind: did you mean MeshTimeout/]]],
  ['type: TrafficRoute\nname: a\nconf: {split: []}', [['type', /^"TrafficRoute" is not a kind/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: Retry\nmetadata: {name: a}\nspec: {destinations: [], conf: {}}', [['kind', /is not a kind/]]],
  ['type: Foo\nname: a\nconf: {}', [['type', /^"Foo" is not a kind/]]],
  ['apiVersion: kuma.io/v1\nkind: Mesh\nmetadata: {name: a}', [['apiVersion', /must be kuma.io\/v1alpha1/]]],
  ['kind: Mesh\nmetadata: {name: a}', [['apiVersion', /must be/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: AccessPolicy\nmetadata: {name: a}', [['apiVersion', /clusterlink.net/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: Mesh', [['metadata.name', /is missing/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: Mesh\nmetadata: {name: a}\nfoo: 1', [['foo', /not a known field/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: Mesh\nmetadata: {name: a, foo: 1}', [['metadata.foo', /not a known field/]]],
  ['apiVersion: kuma.io/v1alpha1\nkind: MeshGateway\nmetadata: {name: a, namespace: b}', [['metadata.namespace', /left out/]]],
  [
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a.ns, namespace: ns}',
    [['metadata.name', /must not end in its namespace/]],
  ],
  [
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmesh: x\nmetadata: {name: a, labels: {kuma.io/mesh: z}}',
    [['mesh', /the label kuma.io\/mesh is "z"/]],
  ],
  [
    'apiVersion: kuma.io/v1alpha1\nkind: MeshTimeout\nmetadata: {name: a, labels: {kuma.io/mesh: ""}}',
    [['metadata.labels["kuma.io/mesh"]', /must be/]],
  ],
  ['type: Zone\nname: a\nmesh: default', [['mesh', /left out/]]],
  ['type: Zone\nname: a\nspec: {}\nenabled: true', [['enabled', /not a known field/]]],
  ['type: MeshService\nname: a\nstatus: 1', [['status', /must be an object/]]],
  [
    'type: MeshTimeout\nname: A\nmesh: 3\nlabels: {a: 1, b: true, c: "1"}\nfoo: 1\nspec: []',
    [
      ['labels.a', /must be a string/],
      ['labels.b', /must be a string/],
      ['mesh', /must be a string/],
      ['foo', /not a known field/],
      ['spec', /must be an object/],
      ['name', /lower-case/],
    ],
  ],
];

test('refuses what it can not be sure of, with all problems at once', () => {
  for (const [text, expected] of REFUSED) {
    const [document] = parseDocuments(text);
    assert.deepEqual(
      document?.problems.map(({ field }) => field),
      expected.map(([field]) => field),
      text,
    );
    for (const [index, [, reason]] of expected.entries()) assert.match(document?.problems[index]?.reason ?? '', reason);
  }
});

test('a gateway may have a conf', () => {
  assert.deepEqual(draftOf('type: MeshGateway\nname: a\nconf: {listeners: []}')?.spec, { conf: { listeners: [] } });
});

test('documents are counted without the empty ones, and one does not hide another', () => {
  const documents = parseDocuments('---\n---\ntype: Mesh\nname: a\n---\na: [\n---\ntype: Mesh\nname: b\n');
  assert.deepEqual(
    documents.map(({ index, draft, problems }) => [index, draft?.name, problems.length]),
    [
      [0, 'a', 0],
      [1, undefined, 1],
      [2, 'b', 0],
    ],
  );
});

test('a REST name may be longer than a name, by its namespace', () => {
  const name = 'a'.repeat(253);
  const labels = { 'k8s.kuma.io/namespace': 'ns' };
  assert.deepEqual(parseDocument({ type: 'MeshTimeout', name: `${name}.ns`, labels }).problems, []);
  assert.equal(parseDocument({ type: 'MeshTimeout', name: `${name}.xs`, labels }).problems.length, 1);
});

/** Objects that look like documents more often than chance has it. */
function documentish(): fc.Arbitrary<unknown> {
  const anything = fc.jsonValue({ maxDepth: 4 });
  const type = fc.constantFrom(
    'Mesh',
    'Zone',
    'MeshTimeout',
    'MeshTrafficPermission',
    'MeshHTTPRoute',
    'Dataplane',
    'AccessPolicy',
    'MeshService',
  );
  const item = fc.record({ targetRef: anything, default: anything, rules: anything, action: anything }, { requiredKeys: [] });
  const list = fc.oneof(anything, fc.array(item));
  const spec = fc.record(
    { targetRef: anything, to: list, from: list, rules: list, default: anything, action: anything },
    { requiredKeys: [] },
  );
  return fc.record(
    {
      type,
      kind: type,
      apiVersion: anything,
      name: anything,
      mesh: anything,
      labels: anything,
      metadata: anything,
      spec: fc.oneof(anything, spec),
      networking: anything,
    },
    { requiredKeys: [] },
  );
}

test('never throws, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }), documentish()),
      (value) => {
        const { draft, problems } = parseDocument(value);
        if (draft) validateDraft(draft);
        else assert.notEqual(problems.length, 0);
      },
    ),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        documentish().map((value) => JSON.stringify(value)),
      ),
      (text) => void parseDocuments(text),
    ),
  );
});
