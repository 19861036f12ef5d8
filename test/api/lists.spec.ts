import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, newApi, timeout } from './harness.ts';

const NAMES = Array.from({ length: 105 }, (_, index) => `p${index}`);
const SORTED = [...NAMES].sort();

describe('a list', () => {
  const scope = new Scope();
  after(() => scope.close());
  let api: TestedApi;

  before(async () => {
    api = newApi(scope, GLOBAL);
    const documents = NAMES.map((name) => timeout(name, { team: name.endsWith('1') ? 'one' : 'other', 'example.com/x': name }));
    const second = { type: 'Mesh', name: 'second' };
    const elsewhere = { ...timeout('p0'), mesh: 'second' };
    assert.equal((await ask(api, 'POST', '/apply', [...documents, second, elsewhere])).status, 200);
  });

  async function names(url: string): Promise<{ total: number; names: string[]; next: string | null }> {
    const { status, body } = await ask(api, 'GET', url);
    assert.equal(status, 200, JSON.stringify(body));
    return { total: body.total, names: body.items.map(({ name }: { name: string }) => name), next: body.next };
  }

  const base = '/meshes/default/meshtimeouts';
  const host = 'http://127.0.0.1:5681';
  const cases: [url: string, total: number, names: string[], next: string | null][] = [
    [base, 105, SORTED.slice(0, 100), `${host}${base}?offset=100`],
    [`${base}/`, 105, SORTED.slice(0, 100), `${host}${base}/?offset=100`],
    [`${base}?offset=100`, 105, SORTED.slice(100), null],
    [`${base}?size=2&offset=3`, 105, SORTED.slice(3, 5), `${host}${base}?offset=5&size=2`],
    [`${base}?size=1000`, 105, SORTED, null],
    [`${base}?size=105`, 105, SORTED, null],
    [`${base}?offset=500`, 105, [], null],
    [`${base}?size=&offset=`, 105, SORTED.slice(0, 100), `${host}${base}?offset=100&size=`],
    [`${base}?name=p10&size=3`, 6, ['p10', 'p100', 'p101'], `${host}${base}?name=p10&offset=3&size=3`],
    [`${base}?name=P`, 0, [], null],
    [`${base}?name=%25`, 0, [], null],
    [`${base}?filter%5Blabels.example.com%2Fx%5D=p7`, 1, ['p7'], null],
    [`${base}?filter[labels.team]=one&filter[labels.example.com/x]=p7`, 0, [], null],
    [`${base}?filter[labels.team]=one&size=1`, 11, ['p1'], `${host}${base}?filter%5Blabels.team%5D=one&offset=1&size=1`],
    [`${base}?filter[labels.nobody]=`, 0, [], null],
    ['/meshtimeouts?name=p0', 2, ['p0', 'p0'], null],
    ['/meshes/second/meshtimeouts', 1, ['p0'], null],
    ['/meshes?size=1', 2, ['default'], `${host}/meshes?offset=1&size=1`],
    ['/meshes/default/meshretries', 0, [], null],
  ];
  for (const [url, total, expected, next] of cases) {
    it(`at ${url} is as Kuma's`, async () => assert.deepEqual(await names(url), { total, names: expected, next }));
  }

  it('comes whole when its pages are followed, whatever their size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 7, max: 120 }), async (size) => {
        const all: string[] = [];
        for (let url: string | null = `${base}?size=${size}`; url !== null; ) {
          const page = await names(url.replace(host, ''));
          all.push(...page.names);
          url = page.next;
        }
        assert.deepEqual(all, SORTED);
      }),
      { numRuns: 10 },
    );
  });
});
