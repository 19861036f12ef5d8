import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LABEL } from '../resource/labels.ts';
import type { JsonObject, JsonValue, Resource } from '../resource/resource.ts';
import { indexMesh } from './match/mesh-index.ts';
import { readPolicies } from './match/read-policies.ts';
import { readProxy } from './match/read-proxy.ts';
import { matchInbound } from './match/select-policies.ts';
import { type Plaintext, plaintextOn } from './mesh-tls.ts';

const EVERYWHERE = { kind: 'Mesh' };

function resource(type: string, name: string, spec: JsonObject, more: Partial<Resource> = {}): Resource {
  const key = { type, mesh: type === 'Mesh' ? '' : 'default', zone: '', namespace: '', name };
  return { key, name, namespace: '', labels: {}, spec, creationTime: '', modificationTime: '', ...more };
}

const dataplane = resource(
  'Dataplane',
  'a',
  { networking: { address: '127.0.0.1', inbound: [{ name: 'web', port: 80, protocol: 'http', tags: { 'kuma.io/service': 'a' } }] } },
  { key: { type: 'Dataplane', mesh: 'default', zone: 'east', namespace: '', name: 'a' } },
);

const meshWith = (mtls: JsonValue | undefined) => resource('Mesh', 'default', mtls === undefined ? {} : { mtls });
const PERMISSIVE = meshWith({ enabledBackend: 'ca', backends: [{ name: 'ca', type: 'builtin', mode: 'PERMISSIVE' }] });

let count = 0;
const tls = (spec: JsonObject, more: Partial<Resource> = {}) =>
  resource('MeshTLS', `t${++count}`, { targetRef: EVERYWHERE, ...spec }, more);
const rules = (mode: JsonValue, targetRef: JsonObject = EVERYWHERE) => tls({ targetRef, rules: [{ default: { mode } }] });
const from = (mode: JsonValue, of: JsonObject = EVERYWHERE, targetRef: JsonObject = EVERYWHERE) =>
  tls({ targetRef, from: [{ targetRef: of, default: { mode } }] });

function on(policies: readonly Resource[], mesh: Resource | undefined = meshWith(undefined)): Plaintext {
  const index = indexMesh([dataplane, ...policies]);
  const proxy = readProxy(dataplane, index);
  const [inbound] = proxy.inbounds;
  assert.ok(inbound);
  return plaintextOn(matchInbound(readPolicies(policies), proxy, inbound, index), mesh);
}

describe('plain text is taken', () => {
  const taken: [what: string, policies: Resource[], mesh?: Resource][] = [
    ['by rules', [rules('Permissive')]],
    ['by from', [from('Permissive')]],
    ['by the Mesh alone', [], PERMISSIVE],
    ['where a MeshTLS says nothing of it', [tls({ rules: [{ default: { tlsVersion: { min: 'TLS13' } } }] })], PERMISSIVE],
    ['where the more specific one says so', [rules('Strict'), rules('Permissive', { kind: 'Dataplane' })]],
    [
      'where a shadow policy says another',
      [rules('Permissive'), tls({ rules: [{ default: { mode: 'Strict' } }] }, { labels: { [LABEL.effect]: 'shadow' } })],
    ],
    ['on the inbound that it is for', [rules('Permissive', { kind: 'Dataplane', sectionName: 'web' })]],
    [
      'by the backend that is enabled',
      [],
      meshWith({
        enabledBackend: 'b',
        backends: [
          { name: 'a', mode: 'STRICT' },
          { name: 'b', mode: 'PERMISSIVE' },
        ],
      }),
    ],
  ];
  for (const [what, policies, mesh] of taken) {
    it(what, () => {
      const { taken: is, warnings } = on(policies, mesh);
      assert.deepEqual([is, warnings.length], [true, 1], warnings.join());
      assert.match(warnings[0] ?? '', /plain text is taken too \(kri_m/);
    });
  }
});

describe('plain text is not taken', () => {
  const plain: [what: string, policies: Resource[], mesh?: Resource][] = [
    ['where nothing is said', []],
    ['by rules', [rules('Strict')], PERMISSIVE],
    ['by from', [from('Strict')], PERMISSIVE],
    ['where the more specific one says so', [rules('Permissive'), rules('Strict', { kind: 'Dataplane' })]],
    ['on another inbound than it is for', [rules('Permissive', { kind: 'Dataplane', sectionName: 'admin' })]],
    ['by a shadow policy', [tls({ rules: [{ default: { mode: 'Permissive' } }] }, { labels: { [LABEL.effect]: 'shadow' } })]],
    [
      'by a policy of another mesh',
      [{ ...rules('Permissive'), key: { type: 'MeshTLS', mesh: 'other', zone: '', namespace: '', name: 'x' } }],
    ],
    [
      'by a backend that is not enabled',
      [],
      meshWith({ enabledBackend: 'a', backends: [{ name: 'a' }, { name: 'b', mode: 'PERMISSIVE' }] }),
    ],
    ['where no backend is enabled', [], meshWith({ backends: [{ name: 'a', mode: 'PERMISSIVE' }] })],
    ['where a backend has no name', [], meshWith({ backends: [{ mode: 'PERMISSIVE' }] })],
    [
      'where two backends of a name contradict',
      [],
      meshWith({
        enabledBackend: 'a',
        backends: [
          { name: 'a', mode: 'PERMISSIVE' },
          { name: 'a', mode: 'STRICT' },
        ],
      }),
    ],
    ...['permissive', 'Permissive', 'permissivE', 1, true].map((mode): [string, Resource[], Resource] => [
      `by a Mesh with ${String(mode)}`,
      [],
      meshWith({ enabledBackend: 'a', backends: [{ name: 'a', mode }] }),
    ]),
    ['by mtls that can not be read', [], meshWith(['PERMISSIVE'])],
  ];
  for (const [what, policies, mesh] of plain) it(what, () => assert.deepEqual(on(policies, mesh), { taken: false, warnings: [] }));

  const doubtful: [what: string, policies: Resource[]][] = [
    ...['permissive', 'PERMISSIVE', 'Disabled', '', 1, true, ['Permissive'], {}].map((mode): [string, Resource[]] => [
      `by the mode ${JSON.stringify(mode)}`,
      [rules(mode as JsonValue)],
    ]),
    ['where a field that is not known may have meant Strict', [tls({ rules: [{ default: { modes: 'Strict' } }] }, { labels: {} })]],
    ['by a wrong word over a right one', [rules('Permissive'), rules('no', { kind: 'Dataplane' })]],
    [
      'where some clients are to use TLS',
      [from('Permissive'), from('Strict', { kind: 'MeshSubset', tags: { env: 'prod' } }, { kind: 'Dataplane' })],
    ],
    [
      'where all clients are to use TLS, said in another way',
      [rules('Permissive'), from('Strict', { kind: 'MeshSubset' }, { kind: 'Dataplane' })],
    ],
    [
      'where some requests are to use TLS',
      [tls({ rules: [{ default: { mode: 'Permissive' } }, { matches: [{ path: '/a' }], default: { mode: 'Strict' } }] })],
    ],
  ];
  for (const [what, policies] of doubtful) {
    it(`${what}, with a warning`, () => {
      const { taken, warnings } = on(policies, PERMISSIVE);
      assert.deepEqual([taken, warnings.length], [false, 1]);
      assert.match(warnings[0] ?? '', /plain text is not taken$/);
    });
  }

  it('where there is no Mesh', () => assert.deepEqual(plaintextOn([], undefined), { taken: false, warnings: [] }));

  it('by what is for some clients only', () => {
    for (const of of [
      { kind: 'MeshSubset', tags: { env: 'dev' } },
      { kind: 'MeshService', name: 'web' },
      { kind: 'Mesh', mesh: 'other' },
    ]) {
      assert.equal(on([from('Permissive', of)]).taken, false, JSON.stringify(of));
    }
  });
});
