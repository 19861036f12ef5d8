import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KeyTuple } from '../resource/key.ts';
import { askRefusals, MOST_LISTED, type RefusalTransfer, onRefusalPage, onRefusalTick } from './refusal-transfer.ts';
import { ANSWER_TIMEOUT, MAX_TRIES } from './protocol.ts';

const CONTEXT = { id: '1', now: 0, most: 0 };
const KEY = ['MeshTimeout', 'default', '', '', 'a'] as [string, string, string, string, string];
const page = (next?: KeyTuple) => ({ kind: 'page' as const, id: '1', revision: 1, ...(next ? { next: [...next] as typeof KEY } : {}) });

function line(name: string): string {
  return JSON.stringify({ key: [...KEY.slice(0, 4), name], hash: 'a'.repeat(64), reason: 'no', since: '', inForce: 'none' });
}

function asked(): RefusalTransfer {
  const { state } = askRefusals('d1', CONTEXT);
  assert.ok(state);
  return state;
}

test('an empty list needs no question', () => {
  assert.deepEqual(askRefusals('', CONTEXT), { state: undefined, effects: [{ do: 'refusals', digest: '', refusals: [], whole: true }] });
});

test('pages are put together, and recorded under the name that was asked for', () => {
  const first = onRefusalPage(asked(), page(KEY), [line('a')], { ...CONTEXT, id: '2' });
  assert.deepEqual(first.effects, [{ do: 'ask', id: '2', ask: { mode: 'refusals', after: KEY } }]);
  const last = onRefusalPage(first.state ?? asked(), page(), [line('b'), 'noise'], CONTEXT);
  const [effect] = last.effects;
  assert.ok(effect?.do === 'refusals');
  assert.deepEqual([effect.digest, effect.refusals.map(({ key }) => key.name)], ['d1', ['a', 'b']]);
});

test('of a long list the first are recorded, and that it is longer', () => {
  const lines = (from: number) => Array.from({ length: 600 }, (_, n) => line(`n${from + n}`));
  const first = onRefusalPage(asked(), page(KEY), lines(0), { ...CONTEXT, most: 9_999 });
  const last = onRefusalPage(first.state ?? asked(), page(KEY), lines(600), { ...CONTEXT, most: 9_999 });
  const [effect] = last.effects;
  assert.ok(effect?.do === 'refusals' && last.state === undefined);
  assert.deepEqual([effect.whole, effect.refusals.length, effect.refusals.at(-1)?.key.name], [false, MOST_LISTED, 'n999']);
});

test('a list without end is given up', () => {
  const flood = Array.from({ length: 1_001 }, (_, n) => line(String(n)));
  assert.deepEqual(onRefusalPage(asked(), page(KEY), flood, CONTEXT), { state: undefined, effects: [] });
  assert.equal(onRefusalPage(asked(), page(KEY), flood, { ...CONTEXT, most: 1 }).effects.length, 1);
  assert.deepEqual(onRefusalPage(asked(), page(KEY), [], CONTEXT), { state: undefined, effects: [] });
});

test('an answer that does not come is asked for again, then not waited for', () => {
  const first = onRefusalPage(asked(), page(KEY), [line('a')], { ...CONTEXT, id: '2' });
  let state = first.state ?? asked();
  assert.deepEqual(onRefusalTick(state, ANSWER_TIMEOUT - 1).effects, []);
  for (let tries = 2; tries <= MAX_TRIES; tries++) {
    const again = onRefusalTick(state, tries * ANSWER_TIMEOUT);
    assert.deepEqual(again.effects, first.effects);
    state = again.state ?? asked();
  }
  assert.deepEqual(onRefusalTick(state, 99 * ANSWER_TIMEOUT), { state: undefined, effects: [] });
});
