import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashedName } from '../naming/hash-name.ts';
import { formatKri } from '../resource/key.ts';
import { KINDS, kindOf } from '../resource/kinds.ts';
import { COMPUTED_LABELS } from '../resource/labels.ts';
import { type Draft, GLOBAL, type JsonObject, type Place } from '../resource/resource.ts';
import { admit, type AdmittedDraft } from './admit-draft.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const BARE: Place = { zone: 'bare', environment: 'universal', systemNamespace: '' };

const own = { targetRef: { kind: 'MeshService', name: 'backend' } };
const other = { targetRef: { kind: 'MeshService', name: 'redis', namespace: 'redis-ns' } };

function draft(type: string, more: Partial<Draft> = {}): Draft {
  return { type, mesh: kindOf(type).scope === 'Mesh' ? 'default' : '', name: 'x', namespace: undefined, labels: {}, spec: {}, ...more };
}

function admitted(document: Draft, place: Place): AdmittedDraft {
  const result = admit(document, place);
  assert.ok('admitted' in result, JSON.stringify(result));
  return result.admitted;
}

/** `field: reason`, one line a problem. */
function refused(document: Draft, place: Place): string[] {
  const result = admit(document, place);
  return 'problems' in result ? result.problems.map(({ field, reason }) => `${field}: ${reason}`) : [];
}

describe('admit', () => {
  it('makes a producer of a policy for a service of its namespace', () => {
    const document = draft('MeshTimeout', { name: 'slow', namespace: 'backend-ns', labels: { app: 'a' }, spec: { to: [own] } });
    assert.deepEqual(admitted(document, EAST), {
      key: { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'backend-ns', name: 'slow' },
      name: 'slow',
      namespace: 'backend-ns',
      role: 'producer',
      labels: {
        app: 'a',
        'kuma.io/mesh': 'default',
        'kuma.io/origin': 'zone',
        'kuma.io/zone': 'east',
        'kuma.io/env': 'kubernetes',
        'kuma.io/display-name': 'slow',
        'k8s.kuma.io/namespace': 'backend-ns',
        'kuma.io/policy-role': 'producer',
      },
    });
  });

  const taken: [title: string, type: string, more: Partial<Draft>, place: Place, kri: string, role: string | undefined][] = [
    ['the system namespace by default', 'MeshTimeout', { spec: { to: [own] } }, EAST, 'kri_mt_default_east_kuma-system_x_', 'system'],
    ['no namespace on universal', 'MeshTimeout', { spec: { to: [own] } }, BARE, 'kri_mt_default_bare__x_', 'system'],
    ['neither zone nor namespace on global', 'MeshTimeout', {}, GLOBAL, 'kri_mt_default___x_', 'system'],
    ['a consumer', 'MeshTimeout', { namespace: 'web', spec: { to: [other] } }, EAST, 'kri_mt_default_east_web_x_', 'consumer'],
    ['an access policy', 'AccessPolicy', { namespace: 'web' }, EAST, 'kri_ap_default_east_web_x_', 'workload-owner'],
    ['a privileged one, in no namespace', 'PrivilegedAccessPolicy', {}, EAST, 'kri_pap_default_east__x_', 'system'],
    ['a gateway, in no namespace', 'MeshGateway', {}, EAST, 'kri_mgw_default_east__x_', undefined],
    ['an external service', 'MeshExternalService', { namespace: 'kuma-system' }, EAST, 'kri_extsvc_default_east_kuma-system_x_', undefined],
    ['a mesh', 'Mesh', {}, GLOBAL, 'kri_m____x_', undefined],
    [
      'a hashed-looking name in a custom namespace',
      'MeshTimeout',
      { namespace: 'web', name: 'x-4444444444444444' },
      EAST,
      'kri_mt_default_east_web_x-4444444444444444_',
      'workload-owner',
    ],
  ];
  for (const [title, type, more, place, kri, role] of taken) {
    it(`takes ${title}`, () => {
      const result = admitted(draft(type, more), place);
      assert.equal(formatKri(result.key), kri);
      assert.equal(result.role, role);
      assert.equal(result.labels['kuma.io/policy-role'], kindOf(type).policy ? role : undefined);
      assert.equal(result.namespace, result.key.namespace);
    });
  }

  const NS = { namespace: 'backend-ns' };
  const copied = hashedName({ mesh: 'default', name: 'x', zone: 'west', namespace: '' });
  const gateway = { targetRef: { kind: 'MeshGateway', name: 'edge' }, to: [other] };
  const wrong: [title: string, type: string, more: Partial<Draft>, place: Place, expected: RegExp[]][] = [
    ['an unknown kind', 'MeshNonsense', {}, EAST, [/^type: "MeshNonsense" is not a kind/]],
    ['a namespace on global', 'MeshTimeout', NS, GLOBAL, [/^metadata.namespace: .*can only be applied on a zone$/]],
    [
      'a namespace label on global',
      'MeshTimeout',
      { labels: { 'k8s.kuma.io/namespace': 'a' } },
      GLOBAL,
      [/^labels\["k8s.kuma.io\/namespace"\]: .*can only be applied on a zone$/],
    ],
    [
      'a namespace said by label on global',
      'MeshTimeout',
      { ...NS, labels: { 'k8s.kuma.io/namespace': 'backend-ns' } },
      GLOBAL,
      [/^labels\["k8s.kuma.io\/namespace"\]: .*can only be applied on a zone$/],
    ],
    [
      'an empty namespace label on global',
      'MeshTimeout',
      { namespace: '', labels: { 'k8s.kuma.io/namespace': '' } },
      GLOBAL,
      [/^labels\["k8s.kuma.io\/namespace"\]/],
    ],
    ['a namespace on universal', 'MeshTimeout', NS, BARE, [/^metadata.namespace: must be left out: a universal zone has no namespaces$/]],
    ['a namespace of what has none', 'MeshGateway', NS, EAST, [/^metadata.namespace: must be left out: a MeshGateway is in no namespace$/]],
    [
      'an external service outside of the system namespace',
      'MeshExternalService',
      NS,
      EAST,
      [/^metadata.namespace: must be "kuma-system"/],
    ],
    ['a mesh on a zone', 'Mesh', {}, EAST, [/^type: a Mesh can only be applied on global$/]],
    ['a service on global', 'MeshService', {}, GLOBAL, [/^type: a MeshService can only be applied on a zone$/]],
    ['a copy’s name on global', 'MeshTimeout', { name: copied }, GLOBAL, [/^name: must not end with/]],
    ['a copy’s name on universal', 'MeshTimeout', { name: copied }, BARE, [/^name: must not end with/]],
    ['a copy’s name in the system namespace', 'MeshTimeout', { name: copied }, EAST, [/^name: must not end with/]],
    ['a copy’s name of a kind in no namespace', 'MeshGateway', { name: copied }, EAST, [/^name: must not end with/]],
    [
      'two roles',
      'MeshTimeout',
      { ...NS, spec: { to: [own, other] }, labels: { 'kuma.io/policy-role': 'producer' } },
      EAST,
      [/^spec.to\[0\].targetRef: /, /^spec.to\[1\].targetRef: /],
    ],
    ['a gateway', 'MeshTimeout', { ...NS, spec: gateway }, EAST, [/^spec.targetRef.kind: in a custom/, /^spec.targetRef.kind: a consumer/]],
    [
      'a role of what has none',
      'MeshService',
      { labels: { 'kuma.io/policy-role': 'system' } },
      EAST,
      [/^labels\["kuma.io\/policy-role"\]: must be left out/],
    ],
    [
      'a mesh’s mesh',
      'Mesh',
      { labels: { 'kuma.io/mesh': 'default' } },
      GLOBAL,
      [/^labels\["kuma.io\/mesh"\]: must be left out: a Mesh is in no mesh$/],
    ],
    [
      'another role',
      'MeshTimeout',
      { ...NS, labels: { 'kuma.io/policy-role': 'system' } },
      EAST,
      [/^labels\["kuma.io\/policy-role"\]: must be "workload-owner" or left out/],
    ],
    [
      'everything at once',
      'MeshService',
      { ...NS, name: copied, labels: { 'kuma.io/origin': 'zone', 'kuma.io/zone': 'east' } },
      GLOBAL,
      [
        /^type/,
        /^name/,
        /^metadata.namespace/,
        /^labels\["kuma.io\/origin"\]: must be "global"/,
        /^labels\["kuma.io\/zone"\]: must be left out: global is no zone/,
      ],
    ],
  ];
  for (const [title, type, more, place, expected] of wrong) {
    it(`refuses ${title}`, () => {
      const document: Draft = {
        type,
        mesh: type === 'Mesh' ? '' : 'default',
        name: 'x',
        namespace: undefined,
        labels: {},
        spec: {},
        ...more,
      };
      const found = refused(document, place);
      assert.equal(found.length, expected.length, found.join('\n'));
      for (const [i, pattern] of expected.entries()) assert.match(found[i] ?? '', pattern);
    });
  }
});

const place = fc.constantFrom(GLOBAL, EAST, BARE);
const spec: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>({}, { to: [own] }, { to: [other] }, { from: [{}] });
/** Any document that can be admitted at the place. */
const admissible = fc
  .record({ kind: fc.constantFrom(...KINDS), place, spec, custom: fc.boolean() })
  .filter(({ kind, place: at }) => (at.zone === '' ? kind.writtenBy.global : kind.writtenBy.zone))
  .map(({ kind, place: at, spec: body, custom }) => {
    const namespace = custom && at === EAST && kind.namespaced && !kind.systemOnly ? 'backend-ns' : undefined;
    return { at, document: draft(kind.type, { spec: body, namespace, labels: { app: 'a' } }) };
  });

describe('admitted labels', () => {
  it('can be applied again, and then change nothing', () => {
    fc.assert(
      fc.property(admissible, fc.boolean(), ({ at, document }, say) => {
        const first = admitted(document, at);
        const namespace = say ? first.namespace || undefined : document.namespace;
        assert.deepEqual(admitted({ ...document, namespace, labels: first.labels }, at), first);
      }),
    );
  });

  it('can’t be forged: every other value is refused, naming the label and the right value', () => {
    fc.assert(
      fc.property(admissible, fc.constantFrom(...COMPUTED_LABELS), fc.string(), ({ at, document }, label, value) => {
        const right = admitted(document, at).labels[label];
        fc.pre(value !== right);
        const found = refused({ ...document, labels: { ...document.labels, [label]: value } }, at);
        assert.equal(found.length, 1, found.join('\n'));
        assert.ok(found[0]?.startsWith(`labels["${label}"]: must be ${right === undefined ? 'left out' : `"${right}"`}`), found[0]);
      }),
    );
  });
});

describe('a broken spec', () => {
  it('neither throws nor becomes a producer', () => {
    const value = fc.jsonValue().filter((json) => !JSON.stringify(json).includes('MeshService'));
    fc.assert(
      fc.property(value, value, (targetRef, to) => {
        const result = admit(draft('MeshTimeout', { namespace: 'web', spec: { targetRef, to } as JsonObject }), EAST);
        assert.ok(!('admitted' in result) || result.admitted.role !== 'producer');
      }),
    );
  });
});
