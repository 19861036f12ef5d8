import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { recordEpoch } from '../../src/kds/cursor.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { type TestedApi, apiOn, ask, EAST, newApi, timeout, toMesh } from './harness.ts';
import { listen, refusal, replay, watch } from './watch-client.ts';
import { openTestStore, restoreTestStore } from '../harness/test-store.ts';

const scope = new Scope();
after(() => scope.close());

/** An API at global that listens. */
async function serve(): Promise<{ api: TestedApi; url: string }> {
  const api = newApi(scope, GLOBAL);
  return { api, url: await listen(api) };
}

const put = (api: TestedApi, name: string, time = '1s') =>
  ask(api, 'PUT', `/meshes/default/meshtimeouts/${name}`, timeout(name, undefined, toMesh(time)));
const remove = (api: TestedApi, name: string) => ask(api, 'DELETE', `/meshes/default/meshtimeouts/${name}`);
const kri = (name: string) => `kri_mt_default___${name}_`;
const head = ({ plane }: TestedApi) => plane.store.head().revision;

/** What the API holds, as a watch should have it. */
async function held(api: TestedApi): Promise<Map<string, unknown>> {
  const lists = await Promise.all(['/meshes', '/meshtimeouts'].map((path) => ask(api, 'GET', `${path}?size=1000`)));
  return new Map(lists.flatMap(({ body }) => body.items.map((item: { kri: string }) => [item.kri, item])));
}

describe('GET /_watch', () => {
  it('begins with everything, goes on with changes, and says when it is quiet', async () => {
    const { api, url } = await serve();
    await put(api, 'a');
    await put(api, 'gone');
    await remove(api, 'gone');
    const one = watch(scope, url);
    await one.caughtUp();
    assert.deepEqual(
      one.messages.map(({ op }) => op),
      ['reset', 'put', 'put', 'bookmark'],
    );
    assert.deepEqual(one.state(), await held(api));
    await put(api, 'b');
    await put(api, 'a', '2s');
    await remove(api, 'b');
    await until('told', () => one.messages.at(-2)?.op === 'delete' || one.messages.some(({ revision }) => revision === head(api)));
    await one.caughtUp(head(api));
    assert.deepEqual(one.state(), await held(api));
    const deleted = one.messages.findLast(({ op }) => op === 'delete');
    assert.deepEqual([deleted?.kri, deleted?.type, deleted?.mesh, deleted?.name], [kri('b'), 'MeshTimeout', 'default', 'b']);
  });

  it('resumes at any message without missing or repeating', async () => {
    const { api, url } = await serve();
    await ask(
      api,
      'POST',
      '/apply',
      Array.from({ length: 150 }, (_, index) => timeout(`t-${index}`)),
    );
    const whole = watch(scope, url);
    await whole.caughtUp(head(api));
    const places = [1, 64, 100, 151].map((at) => whole.messages.slice(0, at + 1));
    await ask(api, 'POST', '/apply', [timeout('t-3', undefined, toMesh('9s')), timeout('t-140', undefined, toMesh('9s')), timeout('new')]);
    await remove(api, 't-7');
    await remove(api, 't-141');
    for (const seen of places) {
      const rest = watch(scope, url, { since: seen.at(-1)?.position ?? '' });
      await rest.caughtUp(head(api));
      assert.equal(
        rest.messages.find(({ op }) => op === 'reset'),
        undefined,
      );
      assert.deepEqual(replay([...seen, ...rest.messages]), await held(api));
    }
  });

  it('narrows by kind, mesh and KRI, and tells of the time that passes elsewhere', async () => {
    const { api, url } = await serve();
    await ask(api, 'PUT', '/meshes/other', { type: 'Mesh', name: 'other' });
    await put(api, 'a');
    const cases: [query: Record<string, string>, kris: string[]][] = [
      [{ type: 'MeshTimeout' }, [kri('a')]],
      [{ mesh: 'default' }, [kri('a')]],
      [{ type: 'Mesh' }, ['kri_m____default_', 'kri_m____other_']],
      [{ kri: 'kri_m____other_' }, ['kri_m____other_']],
      [{ kri: kri('later') }, []],
      [{ type: 'MeshRetry' }, []],
    ];
    const watchers = cases.map(([query]) => watch(scope, url, query));
    for (const [index, watcher] of watchers.entries()) {
      await watcher.caughtUp(head(api));
      assert.deepEqual([...watcher.state().keys()], cases[index]?.[1]);
    }
    await put(api, 'later');
    await watchers[5]?.caughtUp(head(api));
    await until('the later one is seen', () => watchers[4]?.state().has(kri('later')));
  });

  it('sees commits that do not come through the API', async () => {
    const api = newApi(scope, EAST);
    const one = watch(scope, await listen(api), { since: 'now' });
    await one.caughtUp();
    api.options.plane.store.commit((tx) => tx.delete({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' }));
    await until('the delete is seen', () => one.messages.some(({ op, kri: id }) => op === 'delete' && id === 'kri_m____default_'));
  });

  it('resets a client of another store, of what a restore undid, and from before what is known', async () => {
    const { api, url } = await serve();
    await put(api, 'a');
    const other = await serve();
    await put(other.api, 'x');
    const foreign = watch(scope, other.url);
    await foreign.caughtUp();
    const stranger = watch(scope, url, { since: foreign.position() });
    await stranger.caughtUp();
    assert.deepEqual([stranger.messages[0].op, stranger.state().has(kri('a'))], ['reset', true]);
    assert.equal(watch(scope, url, { since: String(head(api)) }).messages[0], undefined);
    const ahead = watch(scope, url, { since: String(head(api) + 1) });
    await until('the reset', () => ahead.messages[0]?.op === 'reset');
  });

  it('knows a restored store from the one that went on', async () => {
    const path = join(scope.folder(), 'store.db');
    const store = openTestStore(path);
    recordEpoch(store, 'a1');
    const plane = { place: GLOBAL, store, now: () => '2026-01-01T00:00:00Z' };
    const first = apiOn(scope, plane, undefined);
    await ask(first, 'PUT', '/meshes/default', { type: 'Mesh', name: 'default' });
    await put(first, 'kept');
    const early = watch(scope, await listen(first));
    await early.caughtUp();
    const kept = early.position();
    const backup = store.snapshot();
    await put(first, 'lost');
    await early.caughtUp(head(first));
    const lost = early.position();
    await first.app.close();
    store.close();
    const restored = restoreTestStore(backup);
    recordEpoch(restored, 'b2');
    const later = apiOn(scope, { ...plane, store: restored }, undefined);
    await put(later, 'other');
    await put(later, 'another');
    const url = await listen(later);
    const [good, bad] = [watch(scope, url, { since: kept }), watch(scope, url, { since: lost })];
    await Promise.all([good.caughtUp(head(later)), bad.caughtUp(head(later))]);
    assert.deepEqual(good.messages.map(({ op, kri: id }) => [op, id]).slice(0, 2), [
      ['put', kri('other')],
      ['put', kri('another')],
    ]);
    assert.equal(bad.messages[0].op, 'reset');
    assert.deepEqual(bad.state(), await held(later));
  });

  it('goes on after the control plane stopped and started', async () => {
    const path = join(scope.folder(), 'store.db');
    let state = new Map<string, unknown>();
    let position: string | undefined;
    for (let start = 0; start < 3; start++) {
      const store = openTestStore(path);
      recordEpoch(store, `e${start}`);
      const api = apiOn(scope, { place: GLOBAL, store, now: () => '2026-01-01T00:00:00Z' }, undefined);
      await ask(api, 'PUT', '/meshes/default', { type: 'Mesh', name: 'default' });
      const one = watch(scope, await listen(api), position === undefined ? {} : { since: position });
      await put(api, `s-${start}`);
      if (start > 0) await remove(api, `s-${start - 1}`);
      await one.caughtUp(head(api));
      assert.equal(
        one.messages.some(({ op }) => op === 'reset'),
        start === 0,
      );
      state = replay(one.messages, state);
      assert.deepEqual(state, await held(api));
      position = one.position();
      await api.app.close();
      await until('the client was told', () => one.closed()?.code === 1001);
      store.close();
    }
  });
});

describe('GET /_watch: who may, and what for', () => {
  it('is judged by the same gate as any request', async () => {
    const { url } = await serve();
    const cases: [title: string, query: string, headers: Record<string, string>, status: number][] = [
      ['another page', '/_watch', { origin: 'http://evil.example' }, 403],
      ['another host', '/_watch', { host: 'evil.example' }, 403],
      ['a wrong token', '/_watch', { authorization: 'Bearer x' }, 401],
      ['a path that is none', '/elsewhere', {}, 404],
      ['a kind that is none', '/_watch?type=Planet', {}, 400],
      ['a KRI that is none', '/_watch?kri=x', {}, 400],
      ['a misspelt filter', '/_watch?typ=Mesh', {}, 400],
      ['a position that is none', '/_watch?since=-1', {}, 400],
    ];
    for (const [title, query, headers, status] of cases) {
      const { status: answered, body } = await refusal(url, query, headers);
      assert.deepEqual([answered, body.status], [status, status], title);
    }
  });

  it('ends when the token is revoked', async () => {
    const { api, url } = await serve();
    const order = { name: 'watcher', role: 'read-only', validFor: '1h' };
    const { body } = await ask(api, 'POST', '/tokens', order);
    const one = watch(scope, url, {}, { authorization: `Bearer ${body.token}` });
    await one.caughtUp();
    await ask(api, 'DELETE', `/tokens/${body.id}`);
    await until('it is closed', () => one.closed()?.code === 1008);
    assert.equal((await refusal(url, '/_watch', { authorization: `Bearer ${body.token}` })).status, 401);
  });

  it('says to whoever does not upgrade that it must', async () => {
    const { api } = await serve();
    const { status, headers } = await ask(api, 'GET', '/_watch');
    assert.deepEqual([status, headers.upgrade], [426, 'websocket']);
  });
});

describe('GET /_watch: many clients', () => {
  const [changes, clients] = [Number(process.env.MERIDIAN_WATCH_CHANGES ?? 500), Number(process.env.MERIDIAN_WATCH_CLIENTS ?? 20)];

  it(`gives ${changes} changes to ${clients} clients without loss, one of them slow`, { timeout: 600_000 }, async () => {
    const { api, url } = await serve();
    const watchers = Array.from({ length: clients }, () => watch(scope, url));
    await Promise.all(watchers.map((one) => one.caughtUp()));
    const slow = watchers[0];
    slow?.socket.pause();
    const started = performance.now();
    for (let from = 0; from < changes; from += 10) {
      await ask(
        api,
        'POST',
        '/apply',
        Array.from({ length: Math.min(10, changes - from) }, (_, index) => timeout(`n-${from + index}`)),
      );
    }
    const wrote = performance.now();
    const fast = watchers.slice(1);
    await Promise.all(fast.map((one) => until('all arrived', () => one.messages.at(-1)?.revision >= head(api), 300)));
    if (process.env.MERIDIAN_FIGURES) {
      const [writing, rest] = [wrote - started, performance.now() - wrote].map((ms) => (ms / 1000).toFixed(1));
      console.error(`${changes} changes to ${clients} clients: written in ${writing} s, all there ${rest} s later`);
    }
    slow?.socket.resume();
    await until('the slow one has all', () => slow && slow.messages.at(-1)?.revision >= head(api), 300);
    const expected = await ask(api, 'GET', '/meshtimeouts?size=1');
    for (const one of watchers) {
      assert.equal([...one.state().keys()].filter((id) => id.startsWith('kri_mt_')).length, expected.body.total);
      assert.equal(expected.body.total, changes);
    }
  });
});
