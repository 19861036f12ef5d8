import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { Scope } from '../harness/scope.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { type ApiAnswer, type TestedApi, apiOf, ask, EAST, newApi, newWorld, timeout } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

function apply(api: TestedApi, query: string, ...documents: object[]): Promise<ApiAnswer> {
  return ask(api, 'POST', `/apply${query}`, documents);
}

async function names(api: TestedApi): Promise<string[]> {
  const { body } = await ask(api, 'GET', '/meshtimeouts');
  return (body.items as { name: string }[]).map(({ name }) => name);
}

function outcomes({ status, body }: ApiAnswer): string[] {
  assert.equal(status, 200, JSON.stringify(body));
  return (body.results as { name: string; outcome: string }[]).map(({ name, outcome }) => `${name} ${outcome}`);
}

const [a, b, c] = [timeout('a'), timeout('b'), timeout('c')];

describe('POST /apply?set=', () => {
  it('deletes what was of the set and is left out, in one commit; nothing else', async () => {
    const api = newApi(scope, GLOBAL);
    await apply(api, '', timeout('plain'));
    await apply(api, '?set=other', timeout('foreign'));
    await apply(api, '?set=shop', a, b);
    assert.deepEqual(outcomes(await apply(api, '?set=shop', a)), ['a unchanged']);
    assert.deepEqual(await names(api), ['a', 'b', 'foreign', 'plain']);
    const before = api.plane.store.head().revision;
    const dry = await apply(api, '?set=shop&prune=true&dryRun=true', a, c);
    assert.deepEqual(outcomes(dry), ['a unchanged', 'c created', 'b deleted']);
    assert.equal(api.plane.store.head().revision, before);
    const done = await apply(api, '?set=shop&prune=true', a, c);
    assert.deepEqual({ ...done.body, changes: [], callerSets: [] }, dry.body);
    assert.equal(api.plane.store.head().revision, before + 1);
    assert.deepEqual(await names(api), ['a', 'c', 'foreign', 'plain']);
  });

  it('gives up what is applied without a set', async () => {
    const api = newApi(scope, GLOBAL);
    await apply(api, '?set=shop', a, b);
    assert.deepEqual(outcomes(await apply(api, '', b)), ['b changed']);
    assert.deepEqual(outcomes(await apply(api, '?set=shop&prune=true', a)), ['a unchanged']);
    assert.deepEqual(await names(api), ['a', 'b']);
  });

  it('deletes a mesh of the set behind what is in it, and nothing at all when the mesh is used by others', async () => {
    const api = newApi(scope, GLOBAL);
    const inside = { ...timeout('x'), mesh: 'demo' };
    await apply(api, '?set=shop', a, { type: 'Mesh', name: 'demo' }, inside);
    await apply(api, '', { ...timeout('y'), mesh: 'demo' });
    const refused = await apply(api, '?set=shop&prune=true', a);
    assert.deepEqual([refused.status, refused.body.detail.includes('mesh demo still has 1')], [409, true]);
    assert.deepEqual(await names(api), ['a', 'x', 'y']);
    await ask(api, 'DELETE', '/meshes/demo/meshtimeouts/y');
    assert.deepEqual(outcomes(await apply(api, '?set=shop&prune=true', a)), ['a unchanged', 'x deleted', 'demo deleted']);
  });

  it('never deletes a copy of the same set from elsewhere', async () => {
    const world = newWorld();
    const [global, east] = [apiOf(scope, world.global), apiOf(scope, world.node('east'))];
    await apply(global, '?set=shop', a);
    world.run(10_000);
    assert.equal((await names(east)).length, 1);
    assert.deepEqual(outcomes(await apply(east, '?set=shop&prune=true', b)), ['b.kuma-system created']);
    assert.equal((await names(east)).length, 2);
  });

  const refused: [query: string, documents: object[], status: number, message: RegExp][] = [
    ['?prune=true', [a], 400, /needs a set/],
    ['?set=&prune=true', [a], 400, /"field":"set"/],
    ['?set=A_b', [a], 400, /"field":"set"/],
    ['?set=shop&prune=yes', [a], 400, /must be true or false/],
    ['?set=shop&prune=true', [], 400, /no document: allowEmpty=true deletes the whole set/],
    ['?set=shop&allowEmpty=true', [], 400, /no document/],
    ['?set=shop', [b, timeout('q', { 'meridian.io/set': 'other' })], 400, /must be .{1,2}shop.{1,2} or left out/],
    ['?set=mine', [b, a], 409, /MeshTimeout a is of the set .{1,2}shop/],
    ['?set=zones&prune=true', [b], 409, /the Zone east is of the set zones/],
  ];
  it('refuses what is not clear, and changes nothing', async () => {
    const api = newApi(scope, GLOBAL);
    await apply(api, '?set=shop', a);
    await apply(api, '?set=zones', { type: 'Zone', name: 'east', enabled: true });
    const { revision } = api.plane.store.head();
    for (const [query, documents, status, message] of refused) {
      const answer = await apply(api, query, ...documents);
      assert.equal(answer.status, status, query);
      assert.match(JSON.stringify(answer.body), message);
    }
    assert.equal(api.plane.store.head().revision, revision);
    assert.deepEqual(outcomes(await apply(api, '?set=shop&prune=true&allowEmpty=true')), ['a deleted']);
  });

  it('leaves exactly the documents of the last time, whatever the times before', async () => {
    const api = newApi(scope, EAST);
    const sets = fc.array(fc.subarray(['p', 'q', 'r', 's', 't'], { minLength: 1 }), { minLength: 1, maxLength: 4 });
    await apply(api, '?set=other', timeout('z'));
    await fc.assert(
      fc.asyncProperty(sets, async (times) => {
        for (const time of times) outcomes(await apply(api, '?set=shop&prune=true', ...time.map((name) => timeout(name))));
        assert.deepEqual(
          await names(api),
          [...(times.at(-1) ?? []), 'z'].map((name) => `${name}.kuma-system`),
        );
      }),
      { numRuns: 20 },
    );
  });
});
