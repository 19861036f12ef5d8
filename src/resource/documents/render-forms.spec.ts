import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { KINDS, kindOf } from '../kinds.ts';
import { LABEL } from '../labels.ts';
import { isLabelKey } from '../dns-names.ts';
import { parseDocument, parseDocuments } from './parse-documents.ts';
import { toKubernetes, toUniversal } from './render-forms.ts';
import { GLOBAL, type JsonObject, type Place, type Resource } from '../resource.ts';
import { hasNamespaces, splitRestName } from '../rest-name.ts';
import { UNIVERSAL_ENVELOPE } from './universal-form.ts';

const KUBERNETES: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const UNIVERSAL: Place = { zone: 'west', environment: 'universal', systemNamespace: '' };

test('the REST body has the fields of Kuma in their order', () => {
  const resource: Resource = {
    key: { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'ns', name: 'a' },
    name: 'a',
    namespace: 'ns',
    labels: { 'kuma.io/mesh': 'default' },
    spec: { to: [] },
    creationTime: '2026-01-01T00:00:00Z',
    modificationTime: '2026-01-02T00:00:00Z',
  };
  assert.equal(
    JSON.stringify(toUniversal(resource, KUBERNETES)),
    '{"type":"MeshTimeout","mesh":"default","name":"a.ns","creationTime":"2026-01-01T00:00:00Z","modificationTime":"2026-01-02T00:00:00Z",' +
      '"labels":{"kuma.io/mesh":"default"},"kri":"kri_mt_default_east_ns_a_","spec":{"to":[]}}',
  );
  const zone: Resource = {
    ...resource,
    key: { type: 'Zone', mesh: '', zone: '', namespace: '', name: 'z' },
    name: 'z',
    labels: {},
    spec: { enabled: true },
  };
  assert.deepEqual(Object.keys(toUniversal(zone, GLOBAL)), ['type', 'name', 'creationTime', 'modificationTime', 'kri', 'enabled']);
  assert.deepEqual(toKubernetes(zone, GLOBAL), {
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'Zone',
    metadata: { name: 'z', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { enabled: true },
  });
});

test('a Kubernetes object says its mesh, whatever labels the resource has', () => {
  const key = { type: 'MeshTimeout', mesh: 'm1', zone: '', namespace: '', name: 'a' };
  const resource: Resource = { key, name: 'a', namespace: '', labels: {}, spec: {}, creationTime: '', modificationTime: '' };
  assert.equal(parseDocument(toKubernetes(resource, GLOBAL)).draft?.mesh, 'm1');
});

const letters = fc.constantFrom(...'abc019'.split(''));
const dnsLabel = fc
  .tuple(letters, fc.string({ unit: fc.constantFrom(...'ab0-'.split('')), maxLength: 6 }), letters)
  .map((parts) => parts.join(''));
const dnsName = fc.array(dnsLabel, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));
const labels = fc.dictionary(
  fc.string({ unit: fc.constantFrom(...'ab/.x'.split('')), maxLength: 5 }).filter(isLabelKey),
  fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/\p{Cc}|[\u2028\u2029]/u.test(text)),
  { noNullPrototype: true },
);
const body = fc.dictionary(
  fc
    .string()
    .filter(
      (key) => !UNIVERSAL_ENVELOPE.includes(key) && key !== '__proto__' && key !== '<<' && key !== 'conf' && !/^[-+]?0[BOX]/.test(key),
    ),
  fc
    .jsonValue({ maxDepth: 3 })
    .filter((value) => !/"(<<|__proto__)":|"[-+]?0[BOX]/.test(JSON.stringify(value)))
    .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject),
  { noNullPrototype: true },
);

/** Resources as they lie at their origin: what users get, change and send back. */
function originals(): fc.Arbitrary<{ resource: Resource; place: Place }> {
  const parts = {
    kind: fc.constantFrom(...KINDS),
    place: fc.constantFrom(KUBERNETES, UNIVERSAL, GLOBAL),
    mesh: dnsLabel,
    name: dnsName,
    one: dnsLabel,
    ns: dnsLabel,
  };
  return fc
    .record({ ...parts, labels, body, status: body })
    .filter(({ name, ns }) => !name.endsWith(`.${ns}`))
    .map((made) => {
      const { kind, place } = made;
      const mesh = kind.scope === 'Mesh' ? made.mesh : '';
      const namespace = hasNamespaces(kind, place) ? made.ns : '';
      const name = kind.type === 'Mesh' || kind.type === 'Zone' ? made.one : made.name;
      const computed = { ...(mesh === '' ? {} : { [LABEL.mesh]: mesh }), ...(namespace === '' ? {} : { [LABEL.namespace]: namespace }) };
      const status = ['MeshService', 'MeshExternalService', 'MeshMultiZoneService'].includes(kind.type) ? { status: made.status } : {};
      const time = '2026-01-01T00:00:00Z';
      const key = { type: kind.type, mesh, zone: place.zone, namespace, name };
      return {
        place,
        resource: {
          key,
          name,
          namespace,
          labels: { ...made.labels, ...computed },
          spec: made.body,
          ...status,
          creationTime: time,
          modificationTime: time,
        },
      };
    });
}

test('a rendered document of either format, as JSON or YAML, parses back to what it was', () => {
  fc.assert(
    fc.property(originals(), ({ resource, place }) => {
      const { key, status } = resource;
      const namespace = resource.namespace === '' ? undefined : resource.namespace;
      const draft = {
        type: key.type,
        mesh: key.mesh,
        namespace,
        labels: resource.labels,
        spec: resource.spec,
        ...(status ? { status } : {}),
      };
      for (const rendered of [toUniversal(resource, place), toKubernetes(resource, place)]) {
        for (const parsed of [
          parseDocument(rendered),
          ...parseDocuments(JSON.stringify(rendered)),
          ...parseDocuments(stringify(rendered, { compat: 'yaml-1.1' })),
        ]) {
          assert.deepEqual(parsed.problems, []);
          const { name, ...rest } = parsed.draft ?? { name: '' };
          assert.deepEqual(rest, draft);
          if (rendered.kind !== undefined) assert.equal(name, resource.name);
          else
            assert.deepEqual(splitRestName(kindOf(key.type), name, place), {
              name: resource.name,
              namespace: resource.namespace,
            });
        }
      }
    }),
  );
});
