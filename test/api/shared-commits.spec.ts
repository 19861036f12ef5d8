import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MeridianError } from '../../src/errors.ts';
import { recordEpoch } from '../../src/kds/cursor.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import type { Store } from '../../src/resource/store/store.ts';
import { Scope } from '../harness/scope.ts';
import { apiOn, ask, newApi, timeout, toMesh } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const path = (name: string) => `/meshes/default/meshtimeouts/${name}`;

/** An API whose commits are counted, by how many writes each holds. */
function counted() {
  const { plane } = newApi(scope, GLOBAL);
  recordEpoch(plane.store, 'abcd');
  const commits: number[] = [];
  const disk = { full: false };
  const commitEach: Store['commitEach'] = (bodies) => {
    commits.push(bodies.length);
    if (disk.full) throw new MeridianError('unavailable', 'the disk is full');
    return plane.store.commitEach(bodies);
  };
  const commit: Store['commit'] = () => assert.fail('a commit of one request alone');
  return { ...apiOn(scope, { ...plane, store: { ...plane.store, commit, commitEach } }, undefined), commits, disk };
}

describe('requests that arrive together', () => {
  it('share a commit; each has its own outcome, revision and tag, and its record in the audit log', async () => {
    const api = counted();
    const put = (name: string, idle: string, headers = {}) => ask(api, 'PUT', path(name), timeout(name, undefined, toMesh(idle)), headers);
    await put('old', '1s');
    const tag = String((await put('a', '1s')).headers.etag);
    const before = api.commits.length;
    const answers = await Promise.all([
      put('a', '2s', { 'if-match': tag }),
      put('a', '3s', { 'if-match': tag }),
      put('a', '4s'),
      put('b', '1s'),
      ask(api, 'DELETE', path('none')),
      ask(api, 'DELETE', path('old')),
      ask(api, 'POST', '/apply', [timeout('c'), timeout('d')]),
      put('b', '2s', { 'if-none-match': '*' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 412, 200, 201, 404, 200, 200, 412],
    );
    // What has no body is read a turn earlier.
    assert.deepEqual(api.commits.slice(before), [2, 6]);
    const tags = [tag, ...[0, 2, 3].map((index) => answers[index]?.headers.etag)];
    assert.equal(new Set(tags).size, tags.length);
    assert.equal((await ask(api, 'GET', path('a'))).headers.etag, answers[2]?.headers.etag);
    const records = (await ask(api, 'GET', '/_audit')).body.items.map(
      ({ operation, name, outcome, revision }: Record<string, string | number | null>) => `${operation} ${name} ${outcome} ${revision}`,
    );
    const first = api.plane.store.head().revision - 5;
    assert.deepEqual(records.toSorted(), [
      `apply c created ${first + 5}`,
      `apply d created ${first + 5}`,
      'delete none refused null',
      `delete old deleted ${first + 1}`,
      `put a changed ${first + 2}`,
      `put a changed ${first + 3}`,
      `put a created ${first}`,
      'put a refused null',
      `put b created ${first + 4}`,
      'put b refused null',
      `put old created ${first - 1}`,
    ]);
  });

  it('are all refused, and none is there, when the store takes nothing', async () => {
    const api = counted();
    api.disk.full = true;
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => ask(api, 'PUT', path(name), timeout(name))));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 503, 503],
    );
    assert.deepEqual([api.commits, (await ask(api, 'GET', '/meshtimeouts')).body.total], [[3], 0]);
    api.disk.full = false;
    assert.equal((await ask(api, 'PUT', path('a'), timeout('a'))).status, 201);
  });
});
