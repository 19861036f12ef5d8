import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type Asked, ask, EAST, type Json, newApi, timeout, toMesh, toService } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const MESH = { kind: 'Mesh' };
const lists = [{ default: { allow: [{ spiffeID: { type: 'Exact', value: 'spiffe://default/a' } }] } }];
const fromAll = [{ targetRef: MESH, default: { action: 'Allow' } }];
const fromDeny = [{ targetRef: MESH, default: { action: 'Deny' } }];
const permission = (name: string, spec: object, more: object = {}) => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  ...more,
  spec,
});
const from = (conf: object, targetRef: object = MESH) => ({ targetRef, from: [{ targetRef: MESH, default: conf }] });

/** What is warned of, as text that each must hold; what stands beside them is applied before. */
const CASES: readonly [
  title: string,
  document: { type: string; name: string; [field: string]: Json },
  warnings: RegExp[],
  beside?: object[],
][] = [
  ['a permission with lists', permission('a', { targetRef: MESH, rules: lists }), []],
  ['a deny with from', permission('a', { targetRef: MESH, from: fromDeny }), [/'from' field is deprecated/]],
  ['an older targetRef', permission('a', { targetRef: { kind: 'MeshSubset', tags: { a: 'b' } }, rules: lists }), [/MeshSubset value/]],
  ['a shadow', permission('a', { targetRef: MESH, rules: lists }, { labels: { 'kuma.io/effect': 'shadow' } }), [/shadow.*not enforced/]],
  ['an allow for all', permission('a', { targetRef: MESH, from: fromAll }), [/'from' field/]],
  [
    'an allow for all beside lists',
    permission('a', { targetRef: MESH, from: fromAll }),
    [/'from' field/, /opens nothing.*kri_mtp_default___z_/],
    [permission('z', { targetRef: MESH, rules: lists })],
  ],
  [
    'lists beside an allow for all',
    permission('a', { targetRef: MESH, rules: lists }),
    [/kri_mtp_default___z_ allows every client/],
    [permission('z', { targetRef: MESH, from: fromAll })],
  ],
  ['lists beside a deny', permission('a', { targetRef: MESH, rules: lists }), [], [permission('z', { targetRef: MESH, from: fromDeny })]],
  ['what is not enforced', timeout('a', undefined, toMesh('1s')), [/MeshTimeout is matched.*not enforced/]],
  ['what is deprecated and not enforced', timeout('a', undefined, from({ idleTimeout: '1s' })), [/'from' field/, /not enforced/]],
  [
    'a reference to nothing',
    timeout('a', undefined, toService('gone')),
    [/spec.to\[0\].targetRef: MeshService gone does not exist/, /not enforced/],
  ],
  ['a TLS mode', { type: 'MeshTLS', mesh: 'default', name: 'a', spec: { targetRef: MESH, rules: [{ default: { mode: 'Strict' } }] } }, []],
  ['no policy at all', { type: 'Zone', name: 'a', enabled: true }, []],
];

describe('an accepted document', () => {
  for (const [title, document, expected, beside = []] of CASES) {
    it(`${title} is warned of as it should, by PUT, apply and its dry run alike`, async () => {
      const api = newApi(scope, GLOBAL);
      for (const other of beside) await put(api, other as Json);
      const [dry] = (await ask(api, 'POST', '/apply?dryRun=true', [document])).body.results;
      const [applied] = (await ask(api, 'POST', '/apply', [document])).body.results;
      const said: string[] = (await put(api, document)).warnings ?? [];
      assert.equal(said.length, expected.length, JSON.stringify(said));
      for (const [index, wanted] of expected.entries()) assert.match(said[index] ?? '', wanted);
      assert.ok(
        said.every((warning) => warning.startsWith('a: ')),
        'kumactl applies many: each says of what it is',
      );
      const plain = said.map((warning) => warning.slice('a: '.length));
      assert.deepEqual([applied.warnings ?? [], dry.warnings ?? []], [plain, plain]);
    });
  }

  it('of a namespace is called as the API calls it', async () => {
    const api = newApi(scope, EAST);
    const document = timeout('slow', { 'k8s.kuma.io/namespace': 'a' }, toService('gone'));
    const { body } = await ask(api, 'PUT', '/meshes/default/meshtimeouts/slow.a', document);
    assert.match(body.warnings[0], /^slow\.a: spec\.to\[0\]\.targetRef: MeshService gone in namespace a does not exist$/);
  });

  it('is looked at with what is written in the same request', async () => {
    const api = newApi(scope, GLOBAL);
    const documents = [permission('a', { targetRef: MESH, rules: lists }), permission('z', { targetRef: MESH, from: fromAll })];
    const { results } = (await ask(api, 'POST', '/apply', documents)).body;
    assert.deepEqual(
      results.map(({ warnings = [] }: Json) => warnings.filter((warning: string) => warning.includes('opens nothing')).length),
      [1, 1],
    );
  });
});

async function put(api: Asked, document: { type: string; name: string }): Promise<Json> {
  const path =
    document.type === 'Zone' ? '/zones' : `/meshes/default/${document.type.toLowerCase()}${document.type.endsWith('S') ? 'es' : 's'}`;
  const answer = await ask(api, 'PUT', `${path}/${document.name}`, document);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}
