import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type ApiAnswer, apiOf, ask, EAST, newApi, newWorld, timeout, toMesh, toService } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const URL = '/meshes/default/meshtimeouts/slow';

function tagOf({ headers }: ApiAnswer): string {
  const { etag } = headers;
  assert.ok(typeof etag === 'string' && /^"[0-9a-f]{16}"$/.test(etag), String(etag));
  return etag;
}

describe('the tag of a resource', () => {
  it('is in the answers to GET and PUT, whatever the format, and changes with the resource alone', async () => {
    const api = newApi(scope, GLOBAL);
    const first = tagOf(await ask(api, 'PUT', URL, timeout('slow')));
    const shown = await ask(api, 'GET', URL);
    for (const url of [`${URL}?format=kubernetes`, `/_kri/${shown.body.kri}`]) assert.equal(tagOf(await ask(api, 'GET', url)), first);
    assert.equal(tagOf(await ask(api, 'PUT', URL, timeout('slow'))), first, 'nothing changed');
    await ask(api, 'PUT', '/meshes/default/meshtimeouts/other', timeout('other'));
    assert.equal(tagOf(await ask(api, 'GET', URL)), first, 'another one changed');
    const changed = tagOf(await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('9s'))));
    assert.notEqual(changed, first);
    await ask(api, 'DELETE', URL);
    assert.notEqual(tagOf(await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('9s')))), changed, 'it is another one');
  });

  it('of a copy changes with what it is rendered from', async () => {
    const world = newWorld();
    const [global, east] = [apiOf(scope, world.node('')), apiOf(scope, world.node('east'))];
    const labels = { 'k8s.kuma.io/namespace': 'a' };
    const write = async (service: string): Promise<string> => {
      assert.equal((await ask(east, 'POST', '/apply', [timeout('slow', labels, toService(service))])).status, 200);
      world.run(10_000);
      return tagOf(await ask(global, 'GET', '/_kri/kri_mt_default_east_a_slow_'));
    };
    const first = await write('backend');
    assert.equal(await write('backend'), first);
    assert.notEqual(await write('other'), first);
  });
});

describe('a write for a state', () => {
  /** Whether a write goes through, by the headers: `now` is the resource's tag, `old` one that it had. */
  const CASES: readonly [headers: (now: string, old: string) => Record<string, string>, there: number, missing: number][] = [
    [() => ({}), 200, 201],
    [(now) => ({ 'if-match': now }), 200, 412],
    [(now, old) => ({ 'if-match': `${old}, ${now}` }), 200, 412],
    [(_, old) => ({ 'if-match': old }), 412, 412],
    [(now) => ({ 'if-match': `W/${now}` }), 412, 412],
    [() => ({ 'if-match': '*' }), 200, 412],
    [() => ({ 'if-none-match': '*' }), 412, 201],
    [(now) => ({ 'if-none-match': now }), 412, 201],
    [(_, old) => ({ 'if-none-match': old }), 200, 201],
    [() => ({ 'if-match': 'no quotes' }), 400, 400],
    [() => ({ 'if-none-match': '' }), 400, 400],
  ];

  for (const [index, [headersOf, there, missing]] of CASES.entries()) {
    const headers = headersOf('"now"', '"old"');
    it(`${index}: ${JSON.stringify(headers)} is answered ${there} where it is, ${missing} where it is not`, async () => {
      const api = newApi(scope, GLOBAL);
      const created = await ask(api, 'PUT', URL, timeout('slow'), headersOf('"now"', '"old"'));
      assert.equal(created.status, missing, JSON.stringify(created.body));
      await ask(api, 'DELETE', URL);
      const old = tagOf(await ask(api, 'PUT', URL, timeout('slow')));
      const now = tagOf(await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('2s'))));
      const before = api.plane.store.head().revision;
      const answer = await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('3s')), headersOf(now, old));
      assert.equal(answer.status, there, JSON.stringify(answer.body));
      if (there === 412) assert.deepEqual([answer.body.code, typeof answer.body.hint], ['precondition_failed', 'string']);
      assert.equal(api.plane.store.head().revision, there === 200 ? before + 1 : before, 'what is refused writes nothing');
    });
  }

  it('deletes only what was seen', async () => {
    const api = newApi(scope, EAST);
    const old = tagOf(await ask(api, 'PUT', URL, timeout('slow')));
    const now = tagOf(await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('2s'))));
    assert.equal((await ask(api, 'DELETE', URL, undefined, { 'if-match': old })).status, 412);
    assert.equal((await ask(api, 'GET', URL)).status, 200);
    assert.equal((await ask(api, 'DELETE', URL, undefined, { 'if-match': now })).status, 200);
  });

  it('is asked of what the document is for, not of another one that the URL shows too', async () => {
    const api = newApi(scope, EAST);
    const system = tagOf(await ask(api, 'PUT', URL, timeout('slow')));
    const labels = { 'k8s.kuma.io/namespace': 'a' };
    const other = timeout('slow', labels, toService('backend'));
    assert.equal((await ask(api, 'PUT', `${URL}.a`, other, { 'if-match': system })).status, 412);
    assert.equal((await ask(api, 'PUT', `${URL}.a`, other, { 'if-none-match': '*' })).status, 201);
    assert.equal((await ask(api, 'PUT', URL, timeout('slow'), { 'if-match': system })).status, 200);
  });

  const BROKEN: readonly [what: string, body: unknown][] = [
    ['no document', 'text'],
    ['another name', timeout('other')],
    ['a field that is none', timeout('slow', undefined, { tox: [] })],
    ['another type', { ...timeout('slow'), type: 'MeshRetry' }],
  ];
  // One for all: what is refused leaves nothing behind.
  const api = newApi(scope, GLOBAL);
  for (const [what, body] of BROKEN) {
    it(`is told what is wrong with the document, whatever the resource is like: ${what}`, async () => {
      const now = tagOf(await ask(api, 'PUT', URL, timeout('slow')));
      for (const tag of [now, '"old"']) assert.equal((await ask(api, 'PUT', URL, body as object, { 'if-match': tag })).status, 400);
    });
  }

  for (const [method, url, body] of [
    ['POST', '/apply', [timeout('slow')]],
    ['POST', '/apply?dryRun=true', [timeout('slow')]],
    ['POST', '/_recover', {}],
    ['POST', '/tokens/keys', {}],
    ['DELETE', '/tokens/nope', undefined],
  ] as const) {
    for (const header of ['If-Match', 'If-None-Match']) {
      it(`is refused where nothing looks at ${header}: ${method} ${url}`, async () => {
        const before = api.plane.store.head().revision;
        const { status, body: answer } = await ask(api, method, url, body, { [header.toLowerCase()]: '"now"' });
        assert.deepEqual([status, answer.code, answer.invalid_parameters[0].field], [400, 'invalid', header]);
        assert.equal(api.plane.store.head().revision, before);
      });
    }
  }

  it('loses none of what many writers count up at once', async () => {
    const api = newApi(scope, GLOBAL);
    await ask(api, 'PUT', URL, timeout('slow', undefined, toMesh('1s')));
    let refused = 0;
    const countUp = async (): Promise<void> => {
      for (;;) {
        const seen = await ask(api, 'GET', URL);
        const seconds = Number.parseInt(seen.body.spec.to[0].default.idleTimeout, 10);
        const next = timeout('slow', undefined, toMesh(`${seconds + 1}s`));
        const { status } = await ask(api, 'PUT', URL, next, { 'if-match': tagOf(seen) });
        if (status === 200) return;
        assert.equal(status, 412);
        refused += 1;
      }
    };
    await Promise.all(Array.from({ length: 20 }, countUp));
    assert.equal((await ask(api, 'GET', URL)).body.spec.to[0].default.idleTimeout, '21s');
    assert.ok(refused > 0, 'they were at it at once');
  });
});
