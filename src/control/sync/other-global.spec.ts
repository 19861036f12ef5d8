import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LATE, SILENCE, STATUS_INTERVAL } from '../../kds/protocol.ts';
import { OtherGlobal } from './other-global.ts';

const speaker = (incarnation: number) => ({ store: 'aa', term: 1, incarnation, instance: `b${incarnation}` });
const SELF = speaker(7);

const TABLE: readonly (readonly [title: string, heard: readonly (readonly [incarnation: number, at: number])[], out: readonly string[]])[] =
  [
    ['its own word', [[7, 0]], ['nothing']],
    ['an earlier one is told', [[6, 0]], ['announce']],
    [
      'a late word of a later one, and its copies',
      [
        [8, 0],
        [8, LATE - 1],
      ],
      ['nothing', 'nothing'],
    ],
    [
      'a later one that lives',
      [
        [8, 0],
        [8, LATE],
      ],
      ['nothing', 'end'],
    ],
    [
      'two later ones that were gone',
      [
        [8, 0],
        [9, LATE],
        [8, LATE + 1],
      ],
      ['nothing', 'nothing', 'nothing'],
    ],
  ];

test('what is heard of another process of global', async (t) => {
  for (const [title, heard, out] of TABLE) {
    await t.test(title, () => {
      const other = new OtherGlobal();
      assert.deepEqual(
        heard.map(([incarnation, at]) => other.heard(speaker(incarnation), SELF, at)),
        out,
      );
    });
  }
});

test('it is time to be heard at first, and again after a while', () => {
  const other = new OtherGlobal();
  assert.ok(other.isDue(0));
  other.announced(10);
  assert.deepEqual([other.isDue(9 + STATUS_INTERVAL), other.isDue(10 + STATUS_INTERVAL)], [false, true]);
});

test('another store, started more often or less, is warned of for a while, and never ends this one', () => {
  for (const incarnation of [1, 7, 900]) {
    const other = new OtherGlobal();
    const stranger = { ...speaker(incarnation), store: 'ff', term: 9, instance: 'c0' };
    assert.equal(other.stranger(0), undefined);
    for (const at of [0, LATE, 10 * LATE]) assert.equal(other.heard(stranger, SELF, at), 'warn');
    const seen = [0, SILENCE, SILENCE + 1].map((later) => other.stranger(10 * LATE + later));
    assert.deepEqual(seen, ['ff', 'ff', undefined]);
  }
});
