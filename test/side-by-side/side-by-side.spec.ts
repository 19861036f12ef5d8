import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { NO_KUMACTL } from '../harness/kumactl.ts';
import { Scope } from '../harness/scope.ts';
import { compare } from './compare.ts';
import { judge, type KnownDifference, readKnown, type SeenDifference } from './differences.ts';
import { NO_KUMA_CP } from './kuma.ts';
import { PAGE, pageWithList } from './page.ts';
import { plainText, plainValue } from './plain.ts';
import { runBoth } from './run.ts';

const scope = new Scope();
after(() => scope.close());

describe('Meridian beside a real Kuma', { skip: NO_KUMACTL || NO_KUMA_CP }, () => {
  it('answers alike, but for the differences that are known', async () => {
    const { seen, kuma } = await runBoth(scope);
    assert.ok(kuma.length > 250, String(kuma.length));
    const { unknown, gone } = judge(seen, readKnown());
    assert.deepEqual(unknown.slice(0, 20), [], `${unknown.length} differences are not in differences.json`);
    assert.deepEqual(gone, [], 'these are in differences.json and no longer there');
  });
});

describe('the page about the differences', () => {
  it('has the list of differences.json', () => {
    assert.equal(readFileSync(PAGE, 'utf8'), pageWithList(), 'node test/side-by-side/main.ts --page');
  });

  it('gives every difference a reason', () => {
    for (const { about, reason, steps, fields } of readKnown()) {
      assert.ok(
        [about, reason, ...steps, ...fields].every((text) => text !== ''),
        JSON.stringify({ about, fields }),
      );
    }
  });
});

describe('two answers', () => {
  const CASES: readonly [kuma: unknown, meridian: unknown, fields: string[]][] = [
    [{ a: 1, b: [1, 2] }, { a: 1, b: [1, 2] }, []],
    [{ a: 1 }, { a: '1' }, ['a']],
    [{ a: { b: { c: 1 } } }, {}, ['a']],
    [{}, { a: null }, ['a']],
    [{ a: null }, { a: null }, []],
    [{ 'k.io/x': 1 }, { 'k.io/x': 2 }, ['["k.io/x"]']],
    [{ items: [{ name: 'x' }, { name: 'y' }] }, { items: [{ name: 'y' }] }, ['items[x]']],
    [{ items: [{ name: 'x' }, { name: 'y' }] }, { items: [{ name: 'y' }, { name: 'x' }] }, ['items.order']],
    [['a', 'b'], ['a'], ['[1]']],
    [[], {}, ['']],
  ];

  for (const [kuma, meridian, fields] of CASES) {
    it(`${JSON.stringify(kuma)} and ${JSON.stringify(meridian)} differ in ${JSON.stringify(fields)}`, () => {
      assert.deepEqual(
        compare(kuma, meridian).map(({ field }) => field),
        fields,
      );
    });
  }

  it('are compared without what differs from run to run', () => {
    const at = (text: string) =>
      plainValue({ at: text, id: text, url: `http://127.0.0.1:${text.length}/x` }, ['http://127.0.0.1:20', 'http://127.0.0.1:24']);
    assert.deepEqual(at('2026-01-02T03:04:05Z'), at('2026-01-02T03:04:05.678Z'));
    assert.deepEqual(plainText('NAME   AGE\nslow   3m\n', []), [
      ['NAME', 'AGE'],
      ['slow', '<age>'],
    ]);
    assert.deepEqual(plainText('---\na: 1\n---\nb: 2\n', []), [{ a: 1 }, { b: 2 }]);
    assert.deepEqual(plainText('Error: it failed\n', []), [{ Error: 'it failed' }]);
  });
});

describe('a known difference', () => {
  const seen = (step: string, field: string, kuma: unknown, meridian: unknown): SeenDifference => ({ step, field, kuma, meridian });
  const known = (more: Partial<KnownDifference>): KnownDifference => ({ about: 'a', steps: ['*'], fields: ['*'], reason: 'r', ...more });
  const CASES: readonly [Partial<KnownDifference>, SeenDifference, is: boolean][] = [
    [{}, seen('s', 'f', 1, 2), true],
    [{}, seen('s', 'f', 1, undefined), false],
    [{ only: 'kuma' }, seen('s', 'f', 1, undefined), true],
    [{ only: 'kuma' }, seen('s', 'f', undefined, 1), false],
    [{ only: 'meridian' }, seen('s', 'f', undefined, 1), true],
    [{ fields: ['body.items[*].kri'] }, seen('s', 'body.items[x.y].kri', 1, 2), true],
    [{ fields: ['body.items[*].kri'] }, seen('s', 'bodyXitems[x].kri', 1, 2), false],
    [{ fields: ['kri'] }, seen('s', 'body.kri', 1, 2), false],
    [{ steps: ['*GET /a'] }, seen('global: GET /a', 'f', 1, 2), true],
    [{ steps: ['*GET /a'] }, seen('global: GET /a/b', 'f', 1, 2), false],
  ];

  for (const [entry, one, is] of CASES) {
    it(`${JSON.stringify(entry)} is ${is ? '' : 'not '}${JSON.stringify(one)}`, () => {
      const { unknown, gone } = judge([one], [known(entry)]);
      assert.deepEqual([unknown.length, gone.length], is ? [0, 0] : [1, 1]);
    });
  }
});
