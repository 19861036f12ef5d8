import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, EAST, newApi, timeout, toMesh, toService } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const YAML = { 'content-type': 'application/yaml' };
const NAMESPACE = 'k8s.kuma.io/namespace';
const MESH = { type: 'Mesh', name: 'second' };
const OBJECT = {
  apiVersion: 'kuma.io/v1alpha1',
  kind: 'MeshTimeout',
  metadata: { name: 'object', labels: { 'kuma.io/mesh': 'second' } },
  spec: toMesh('1s'),
};

describe('POST /apply', () => {
  const bodies: [title: string, body: unknown, headers: Record<string, string>][] = [
    ['YAML documents', [OBJECT, MESH, timeout('a')].map((document) => stringify(document)).join('---\n'), YAML],
    ['a JSON list', [OBJECT, MESH, timeout('a')], {}],
  ];
  for (const [title, body, headers] of bodies) {
    it(`takes ${title} of either format, a mesh among them`, async () => {
      const api = newApi(scope, GLOBAL);
      const dry = await ask(api, 'POST', '/apply?dryRun=true', body, headers);
      assert.equal(api.commits(), 0);
      assert.equal((await ask(api, 'GET', '/meshes')).body.total, 1);
      const applied = await ask(api, 'POST', '/apply', body, headers);
      const warnings = ['a MeshTimeout is matched, merged and shown, and not enforced: proxies enforce access rules alone'];
      assert.deepEqual(applied.body, {
        results: [
          { type: 'MeshTimeout', mesh: 'second', name: 'object', kri: 'kri_mt_second___object_', outcome: 'created', warnings },
          { type: 'Mesh', mesh: '', name: 'second', kri: 'kri_m____second_', outcome: 'created' },
          { type: 'MeshTimeout', mesh: 'default', name: 'a', kri: 'kri_mt_default___a_', outcome: 'created', warnings },
        ],
      });
      assert.deepEqual(dry.body, { ...applied.body, changes: [], callerSets: [] });
      assert.equal(api.commits(), 1);
      const revision = api.plane.store.head().revision;
      const again = await ask(api, 'POST', '/apply', body, headers);
      assert.deepEqual(
        again.body.results.map(({ outcome }: { outcome: string }) => outcome),
        ['unchanged', 'unchanged', 'unchanged'],
      );
      assert.equal(api.plane.store.head().revision, revision);
    });
  }

  it('takes one JSON document', async () => {
    assert.equal((await ask(newApi(scope, GLOBAL), 'POST', '/apply', timeout('a'))).body.results.length, 1);
  });

  it('tells the problems of all documents at once, and writes none', async () => {
    const api = newApi(scope, GLOBAL);
    const body = [
      timeout('fine'),
      { type: 'MeshTimeuot', name: 'a' },
      timeout('labelled', { 'kuma.io/zone': 'mars' }),
      { ...timeout('B'), extra: 1, spec: { to: [{ targetRef: { kind: 'Nothing' }, default: {} }] } },
      'text',
    ];
    const { status, body: answer } = await ask(api, 'POST', '/apply', body);
    assert.equal(status, 400);
    const fields = answer.invalid_parameters.map(({ field }: { field: string }) => field);
    assert.deepEqual(
      new Set(fields),
      new Set(['[1].type', '[2].labels["kuma.io/zone"]', '[3].name', '[3].extra', '[3].spec.to[0].targetRef.kind', '[4].document']),
    );
    assert.equal((await ask(api, 'GET', '/meshtimeouts')).body.total, 0);
    assert.equal(api.commits(), 0);
  });

  it('tells what can not be read beside what is wrong', async () => {
    const text = `${stringify(timeout('a', { 'kuma.io/zone': 'mars' }))}---\na: [\n---\n${stringify(timeout('b'))}`;
    const { body } = await ask(newApi(scope, GLOBAL), 'POST', '/apply', text, YAML);
    const fields = body.invalid_parameters.map(({ field }: { field: string }) => field);
    assert.deepEqual(fields, ['[0].labels["kuma.io/zone"]', '[1].document']);
  });

  it('writes all or none when one is refused later', async () => {
    const api = newApi(scope, GLOBAL);
    const nowhere = { ...timeout('b'), mesh: 'nowhere' };
    assert.equal((await ask(api, 'POST', '/apply', [timeout('a'), nowhere])).status, 404);
    assert.equal((await ask(api, 'GET', '/meshtimeouts')).body.total, 0);
  });

  it('takes what a kubernetes zone showed', async () => {
    const api = newApi(scope, EAST);
    const documents = [timeout('a', { [NAMESPACE]: 'ns' }, toService('backend')), timeout('a')];
    const { results } = (await ask(api, 'POST', '/apply', documents)).body;
    assert.deepEqual(
      results.map(({ name }: { name: string }) => name),
      ['a.ns', 'a.kuma-system'],
    );
    const shown = await allOf(api);
    const again = await ask(api, 'POST', '/apply', shown.map((document) => stringify(document)).join('---\n'), YAML);
    assert.deepEqual(
      again.body.results.map(({ outcome }: { outcome: string }) => outcome),
      ['unchanged', 'unchanged'],
    );
    assert.deepEqual(await allOf(api), shown);
  });

  it('takes many documents', async () => {
    const documents = Array.from({ length: 2000 }, (_, index) => timeout(`t${index}`, { filler: 'x'.repeat(200) }, toMesh('1s')));
    const body = documents.map((document) => JSON.stringify(document)).join('\n---\n');
    const { status, body: answer } = await ask(newApi(scope, GLOBAL), 'POST', '/apply', body, YAML);
    assert.deepEqual([status, answer.results?.length], [200, 2000]);
  });
});

async function allOf(api: TestedApi): Promise<object[]> {
  return (await ask(api, 'GET', '/meshtimeouts')).body.items;
}
