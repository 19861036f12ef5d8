import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { toErrorBody } from '../../src/api/http/error-answers.ts';
import { MAX_RESOURCE_BYTES } from '../../src/resource/resource-limits.ts';
import { ERROR_CODES, MeridianError } from '../../src/errors.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { apiOn, ask, newApi, timeout, type AnyJson } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const ONE = '/meshes/default/meshtimeouts/a';
const YAML = { 'content-type': 'application/yaml' };

interface RefusedRequest {
  readonly title: string;
  readonly ask: readonly [
    method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH' | 'HEAD',
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ];
  readonly status: number;
  readonly says: Partial<Record<'title' | 'detail' | 'field' | 'reason', string | RegExp>>;
}

/** What kuma-cp 2.14.3 answers to the same, where both know the thing. */
const REFUSALS: readonly RefusedRequest[] = [
  { title: 'no such resource', ask: ['GET', ONE], status: 404, says: { title: 'Could not retrieve a resource', detail: 'Not found' } },
  { title: 'nothing to delete', ask: ['DELETE', ONE], status: 404, says: { title: 'Could not delete a resource', detail: 'Not found' } },
  ...(['GET', 'PUT', 'DELETE'] as const).map(
    (method): RefusedRequest => ({
      title: `no such mesh to ${method} in`,
      ask: [method, '/meshes/nomesh/meshtimeouts/a', method === 'PUT' ? timeout('a') : undefined],
      status: 404,
      says: { title: 'Failed to retrieve Mesh', detail: 'Not found' },
    }),
  ),
  { title: 'a list of no mesh', ask: ['GET', '/meshes/nomesh/meshtimeouts'], status: 404, says: { title: 'Failed to retrieve Mesh' } },
  {
    title: 'another name',
    ask: ['PUT', ONE, timeout('b')],
    status: 400,
    says: {
      field: 'name',
      reason: 'name from the URL has to be the same as in body',
      detail: 'Resource is not valid',
      title: 'Could not process a resource',
    },
  },
  {
    title: 'another mesh',
    ask: ['PUT', ONE, { ...timeout('a'), mesh: 'other' }],
    status: 400,
    says: { field: 'mesh', reason: 'mesh from the URL has to be the same as in body' },
  },
  {
    title: 'another type',
    ask: ['PUT', '/meshes/default', timeout('default')],
    status: 400,
    says: { field: 'type', reason: 'type from the URL has to be the same as in body' },
  },
  { title: 'no type', ask: ['PUT', ONE, { name: 'a' }], status: 400, says: { field: 'type' } },
  { title: 'no JSON', ask: ['PUT', ONE, '{'], status: 400, says: { detail: /is not JSON/ } },
  { title: 'YAML that is called JSON', ask: ['PUT', ONE, 'type: MeshTimeout'], status: 400, says: { detail: /is not JSON/ } },
  { title: 'broken YAML', ask: ['PUT', ONE, 'a: [', YAML], status: 400, says: { field: 'document', reason: /line/ } },
  {
    title: 'a key that comes twice',
    ask: ['PUT', ONE, '{"type": "MeshTimeout", "spec": {"a": 1, "a": 2}}'],
    status: 400,
    says: { reason: /"a" comes twice/ },
  },
  {
    title: 'a __proto__',
    ask: ['PUT', ONE, '{"type":"MeshTimeout","mesh":"default","name":"a","spec":{"__proto__":{"to":[]}}}'],
    status: 400,
    says: { field: /__proto__/ },
  },
  { title: 'two documents', ask: ['PUT', ONE, 'type: Mesh\n---\ntype: Mesh', YAML], status: 400, says: { detail: /one document/ } },
  { title: 'a number', ask: ['PUT', ONE, '1'], status: 400, says: { reason: 'must be an object' } },
  { title: 'no body', ask: ['PUT', ONE], status: 400, says: { detail: /no body/ } },
  { title: 'an empty body', ask: ['PUT', ONE, '', { 'content-type': 'application/json' }], status: 400, says: { detail: /no body/ } },
  { title: 'bytes that are no UTF-8', ask: ['PUT', ONE, Buffer.from([0x7b, 0xff, 0x7d])], status: 400, says: { detail: /UTF-8/ } },
  {
    title: 'a compressed body',
    ask: ['PUT', ONE, Buffer.from([0x1f, 0x8b]), { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    status: 400,
    says: { detail: /"gzip" is not read/ },
  },
  { title: 'a form', ask: ['POST', '/apply', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }], status: 415, says: {} },
  { title: 'plain text', ask: ['PUT', ONE, '{}', { 'content-type': 'text/plain' }], status: 415, says: {} },
  { title: 'a body beyond all limits', ask: ['PUT', ONE, `{"a":"${'x'.repeat(2 * MAX_RESOURCE_BYTES)}"}`], status: 413, says: {} },
  {
    title: 'a resource that is too large',
    ask: ['PUT', ONE, timeout('a', {}, { to: [{ targetRef: { kind: 'Mesh' }, default: { x: 'x'.repeat(MAX_RESOURCE_BYTES) } }] })],
    status: 413,
    says: { field: 'spec', title: 'Could not process a resource' },
  },
  { title: 'a misspelt field', ask: ['PUT', ONE, { ...timeout('a'), lables: {} }], status: 400, says: { field: 'lables' } },
  {
    title: 'a namespace at global',
    ask: ['PUT', ONE, timeout('a', { 'k8s.kuma.io/namespace': 'ns' })],
    status: 400,
    says: { field: 'labels["k8s.kuma.io/namespace"]' },
  },
  {
    title: 'a mesh that is in use',
    ask: ['DELETE', '/meshes/default'],
    status: 409,
    says: { title: 'Could not delete a resource', detail: /mesh default still has 1 of Mesh Retries/ },
  },
  { title: 'an unknown path', ask: ['GET', '/nowhere'], status: 404, says: { title: 'Page Not Found' } },
  { title: 'an unknown kind', ask: ['GET', '/meshes/default/nokinds'], status: 404, says: { title: 'Page Not Found' } },
  { title: 'a global kind in a mesh', ask: ['GET', '/meshes/default/zones'], status: 404, says: { title: 'Page Not Found' } },
  { title: 'one of a kind in meshes, without one', ask: ['GET', '/meshtimeouts/a'], status: 404, says: { title: 'Page Not Found' } },
  { title: 'a broken URL', ask: ['GET', '/meshes/%E0%A4%A'], status: 400, says: {} },
  { title: 'a name longer than any', ask: ['GET', `${ONE}${'a'.repeat(1000)}`], status: 404, says: {} },
  { title: 'another method', ask: ['POST', '/meshes', {}], status: 405, says: { title: 'Method not allowed' } },
  {
    title: 'a method with a body of no known type',
    ask: ['POST', '/meshes/default', 'x', { 'content-type': 'x/y' }],
    status: 405,
    says: {},
  },
  {
    title: 'a size of nothing',
    ask: ['GET', '/meshes?size=0'],
    status: 400,
    says: { title: 'Could not retrieve resources', detail: 'Invalid page size', field: 'size', reason: 'must be greater than 0' },
  },
  { title: 'a size below nothing', ask: ['GET', '/meshes?size=-1'], status: 400, says: { reason: 'must be greater than 0' } },
  {
    title: 'a size that is no number',
    ask: ['GET', '/meshes?size=abc'],
    status: 400,
    says: { detail: 'Invalid page size', reason: 'invalid format' },
  },
  {
    title: 'a size that is too large',
    ask: ['GET', '/meshes?size=1001'],
    status: 400,
    says: { reason: 'invalid page size of 1001. Maximum page size is 1000' },
  },
  { title: 'an offset that is no count', ask: ['GET', '/meshes?offset=-1'], status: 400, says: { field: 'offset' } },
  { title: 'an offset beyond numbers', ask: ['GET', `/meshes?offset=${'9'.repeat(30)}`], status: 400, says: { field: 'offset' } },
  {
    title: 'a filter on no label',
    ask: ['GET', '/meshtimeouts?filter%5Bkey%5D=x'],
    status: 400,
    says: { field: '/meshtimeouts.filter[key]', reason: 'filters are only supported on labels' },
  },
  { title: 'an unknown format', ask: ['GET', '/meshes/default?format=xml'], status: 400, says: { reason: /kubernetes/ } },
  { title: 'no KRI', ask: ['GET', '/_kri/xx'], status: 400, says: { detail: /is not a KRI/ } },
  {
    title: 'nobody with that KRI',
    ask: ['GET', '/_kri/kri_mt_default___nope_'],
    status: 404,
    says: { title: 'Could not retrieve a resource', detail: 'Not found' },
  },
  { title: 'nothing to apply', ask: ['POST', '/apply', '---\n', YAML], status: 400, says: { detail: /no document/ } },
  { title: 'a dry run that is neither', ask: ['POST', '/apply?dryRun=yes', timeout('a')], status: 400, says: { field: 'dryRun' } },
  { title: 'a recovery of nobody', ask: ['POST', '/_recover', { acceptStore: 'nobody' }], status: 404, says: { detail: /nobody/ } },
  { title: 'a misspelt order', ask: ['POST', '/_recover', { acceptstore: 'east' }], status: 400, says: { reason: /must be one of/ } },
  { title: 'an order that is no text', ask: ['POST', '/_recover', { dropAbsent: 1 }], status: 400, says: { field: 'dropAbsent' } },
  { title: 'a zone of a zone', ask: ['POST', '/_recover', { dropAbsent: 'global' }], status: 400, says: { field: 'dropAbsent' } },
  { title: 'a ledger of no kind', ask: ['GET', '/_ledger?type=Nothing'], status: 400, says: { field: 'type' } },
];

describe('a refusal', () => {
  // One for all: what is refused leaves nothing behind.
  const api = newApi(scope, GLOBAL);
  before(async () => {
    await ask(api, 'PUT', '/meshes/default/meshretries/there', {
      type: 'MeshRetry',
      mesh: 'default',
      name: 'there',
      spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { http: { numRetries: 1 } } }] },
    });
  });

  for (const {
    title,
    ask: [method, url, body, headers],
    status,
    says,
  } of REFUSALS) {
    it(`${title}: ${status}`, async () => {
      const { revision } = api.plane.store.head();
      const answer = await ask(api, method, url, body, headers);
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assertShape(answer.body, status);
      assert.match(String(answer.headers['content-type']), /^application\/json/);
      const [first] = answer.body.invalid_parameters ?? [{}];
      const said = { title: answer.body.title, detail: answer.body.detail, field: first.field, reason: first.reason };
      for (const [part, expected] of Object.entries(says)) matches(String(said[part as keyof typeof said]), expected);
      assert.equal(api.plane.store.head().revision, revision);
      assert.deepEqual(api.errors, []);
    });
  }

  it('of a method says which there are', async () => {
    const api = newApi(scope, GLOBAL);
    const { headers } = await ask(api, 'POST', ONE, {});
    assert.equal(headers.allow, 'GET, HEAD, PUT, PATCH, DELETE');
  });

  it('has a status for every code, and keeps what is inside to itself', () => {
    for (const code of ERROR_CODES) {
      const body = toErrorBody(new MeridianError(code, 'secret words', { hint: 'do this' }), 'Title');
      assertShape(body, body.status);
      assert.equal(body.detail.includes('secret'), code !== 'internal');
      assert.equal(body.detail.includes('do this'), code !== 'internal');
    }
  });

  it('of what is a bug of ours is a 500 that says nothing, and is reported', async () => {
    const { plane } = newApi(scope, GLOBAL);
    const broken = { ...plane, store: { ...plane.store, list: () => assert.fail('the secret is 42') } };
    const api = apiOn(scope, broken, undefined);
    const answer = await ask(api, 'GET', '/meshes');
    assert.deepEqual([answer.status, answer.body.title], [500, 'Internal Server Error']);
    assert.ok(!JSON.stringify(answer.body).includes('42'));
    assert.equal(api.errors.filter((error) => error.includes('the secret is 42')).length, 1);
  });
});

/** Kuma's fields, the doubled ones the same. */
function assertShape(body: AnyJson, status: number): void {
  const { invalid_parameters: parameters, causes } = body;
  assert.deepEqual(Object.keys(body), [
    ...['type', 'status', 'title', 'detail'],
    ...(parameters ? ['invalid_parameters', 'details', 'causes'] : ['details']),
    'code',
    ...(body.hint === undefined ? [] : ['hint']),
  ]);
  assert.deepEqual([body.type, body.status, body.details], ['/std-errors', status, body.detail]);
  assert.ok(body.title !== '' && body.detail !== '' && body.hint !== '');
  assert.ok(ERROR_CODES.includes(body.code), body.code);
  assert.ok(body.detail.endsWith(body.hint ?? ''));
  assert.deepEqual(
    causes,
    parameters?.map(({ field, reason }: { field: string; reason: string }) => ({ field, message: reason })),
  );
}

function matches(said: string, expected: string | RegExp): void {
  if (typeof expected === 'string') assert.equal(said, expected);
  else assert.match(said, expected);
}
