import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, EAST, newApi, timeout } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const ONE = '/meshes/default/meshtimeouts/slow';
const TYPE = { 'content-type': 'application/merge-patch+json' };
const to = (conf: object) => [{ targetRef: { kind: 'Mesh' }, default: conf }];

async function withOne(place = GLOBAL): Promise<TestedApi> {
  const api = newApi(scope, place);
  await ask(api, 'PUT', ONE, timeout('slow', { team: 'a', tier: 'b' }, { to: to({ idleTimeout: '1s' }) }));
  return api;
}

describe('PATCH of a resource', () => {
  it('changes what the patch says, takes away what is null, and leaves the rest', async () => {
    const api = await withOne();
    const { status, body, headers } = await ask(
      api,
      'PATCH',
      ONE,
      { labels: { team: 'c', tier: null }, spec: { to: to({ idleTimeout: '2s' }) } },
      TYPE,
    );
    assert.deepEqual([status, body.warnings?.length], [200, 1]);
    const shown = await ask(api, 'GET', ONE);
    assert.equal(shown.headers.etag, headers.etag);
    assert.deepEqual([shown.body.labels.team, shown.body.labels.tier], ['c', undefined]);
    assert.deepEqual(shown.body.spec, { to: to({ idleTimeout: '2s' }) });
  });

  it('in a namespace, in JSON or YAML, and in two at once, both of which count', async () => {
    const api = newApi(scope, EAST);
    const url = `${ONE}.shop`;
    await ask(api, 'PUT', url, timeout('slow', { 'k8s.kuma.io/namespace': 'shop' }));
    await Promise.all([
      ask(api, 'PATCH', url, { labels: { a: '1' } }),
      ask(api, 'PATCH', url, 'labels: {b: "2"}', { 'content-type': 'application/yaml' }),
    ]);
    const { body } = await ask(api, 'GET', url);
    assert.deepEqual([body.labels.a, body.labels.b, body.name], ['1', '2', 'slow.shop']);
  });

  const REFUSED: readonly [name: string, patch: unknown, headers: Record<string, string>, status: number][] = [
    ['another name', { name: 'other' }, TYPE, 400],
    ['another type', { type: 'MeshRetry' }, TYPE, 400],
    ['a document that is not valid', { spec: { to: [{}] } }, TYPE, 400],
    ['a field that there is none of', { spec: { from: null, too: [] } }, TYPE, 400],
    ['a list', [], TYPE, 400],
    ['a text', 'x', TYPE, 400],
    ['another state', { labels: { a: 'b' } }, { ...TYPE, 'if-match': '"x"' }, 412],
    ['a patch by operations', [], { 'content-type': 'application/json-patch+json' }, 415],
  ];
  for (const [name, patch, headers, status] of REFUSED) {
    it(`is refused with ${status}: ${name}`, async () => {
      const api = await withOne();
      const { body: before } = await ask(api, 'GET', ONE);
      assert.equal((await ask(api, 'PATCH', ONE, patch, headers)).status, status);
      assert.deepEqual((await ask(api, 'GET', ONE)).body, before);
    });
  }

  it('makes nothing that is not there, and is not taken for a document', async () => {
    const api = newApi(scope, GLOBAL);
    assert.equal((await ask(api, 'PATCH', ONE, { labels: {} }, TYPE)).status, 404);
    assert.equal((await ask(api, 'PUT', ONE, timeout('slow'), TYPE)).status, 400);
  });
});
