import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';
import { parseTemplate } from './json-path-template.ts';

const LIST = {
  total: 2,
  items: [
    { name: 'slow', mesh: 'default', labels: { 'kuma.io/zone': 'east' }, spec: { to: [{ a: 1 }, { a: 2 }] } },
    { name: 'fast', mesh: 'demo', labels: {}, spec: { to: [] } },
  ],
};

/** The forms of kubectl's page about JSONPath, on this list. */
const PRINTED: readonly (readonly [template: string, printed: string])[] = [
  ['{.total}', '2'],
  ['{$.total}', '2'],
  ['{.items[*].name}', 'slow fast'],
  ['{.items[0].name}', 'slow'],
  ['{.items[-1].name}', 'fast'],
  ['{.items[0:1].name}', 'slow'],
  ['{.items[-1:].name}', 'fast'],
  ['{.items[?(@.mesh=="demo")].name}', 'fast'],
  ["{.items[?(@.mesh!='demo')].name}", 'slow'],
  ['{.items[?(@.labels.x)].name}', ''],
  [String.raw`{.items[*].labels.kuma\.io/zone}`, 'east'],
  ["{.items[*].labels['kuma.io/zone']}", 'east'],
  ['{.items[0].spec.to[*].a}', '1 2'],
  ['{.items[0].labels}', '{"kuma.io/zone":"east"}'],
  ['{.items[0].labels.*}', 'east'],
  ['{range .items[*]}{.mesh}{"\\t"}{.name}{"\\n"}{end}', 'default\tslow\ndemo\tfast\n'],
  ['{range .items[*]}[{range .spec.to[*]}{@.a};{end}]{end}', '[1;2;][]'],
  ['names: {.items[*].name}!', 'names: slow fast!'],
  ['{.nothing.there}', ''],
  ['{.constructor}', ''],
];

const REFUSED: readonly (readonly [template: string, reason: RegExp])[] = [
  ['.items', /no braces/],
  ['{..name}', /every depth/],
  ['{.items[0,1]}', /'\[0,1\]' is not read here/],
  ['{.items[?(@.total>1)]}', /is not read here/],
  ['{range .items[*]}x', /has no \{end\}/],
  ['x{end}', /without its \{range/],
  ['{.items', /without its partner/],
  ['{.items[(@.length-1)]}', /is not read here/],
];

describe('-o jsonpath=', () => {
  for (const [template, printed] of PRINTED)
    it(template, () =>
      assert.equal(
        parseTemplate(template)(LIST, (text) => text),
        printed,
      ),
    );

  for (const [template, reason] of REFUSED) it(`refuses ${template}`, () => assert.throws(() => parseTemplate(template), reason));

  it('prints of any command what -o json has, and lets nobody steer the terminal', async (t) => {
    const item = { type: 'MeshTimeout', mesh: 'default', name: 'a\u001b[2J', spec: {} };
    const stub = await startStub(t, ({ path }) => ({ body: path.includes('meshtimeouts') ? { total: 1, items: [item], next: null } : {} }));
    const run = (template: string) => meridianctl(['get', 'mt', '-o', `jsonpath=${template}`, '--url', stub.url]);
    assert.deepEqual(await run('{.items[*].name} of {.total}'), { code: 0, out: 'a\\u001b[2J of 1', err: '' });
    const wrong = await run('{..name}');
    assert.deepEqual([wrong.code, /every depth/.test(wrong.err)], [2, true]);
  });
});
