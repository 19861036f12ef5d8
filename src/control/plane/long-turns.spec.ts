import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LongTurns } from './long-turns.ts';

function newTurns() {
  const clock = { now: 0 };
  const turns = new LongTurns(
    () => clock.now,
    () => `at ${clock.now}`,
  );
  const took = (ms: number) => () => void (clock.now += ms);
  return { turns, took };
}

describe('LongTurns', () => {
  it('keeps the longest turn of each work, and counts those over 100 ms', () => {
    const { turns, took } = newTurns();
    turns.run('apply', '', took(50));
    turns.run('apply', '', took(300));
    turns.run('apply', '', took(120));
    turns.run('transfer', 'from zone east', took(90));
    turns.run('message', '', took(9));
    assert.deepEqual(turns.longest(), [
      { work: 'apply', about: '', milliseconds: 300, at: 'at 350', long: 2 },
      { work: 'transfer', about: 'from zone east', milliseconds: 90, at: 'at 560', long: 0 },
    ]);
  });

  it('counts a piece within another one as a part of that, and notes what throws', () => {
    const { turns, took } = newTurns();
    const fails = () => {
      turns.run('commit', '', took(20));
      throw new Error('the disk is full');
    };
    assert.throws(() => turns.run('request', 'GET /', fails), /the disk is full/);
    assert.deepEqual(
      turns.longest().map(({ work, milliseconds }) => [work, milliseconds]),
      [['request', 20]],
    );
  });

  it('keeps no more than 50 works, those with the longest turns', () => {
    const { turns, took } = newTurns();
    for (let number = 1; number <= 60; number++) turns.run('message', `from zone z${number}`, took(10 + number));
    const kept = turns.longest();
    assert.deepEqual([kept.length, kept[0]?.about, kept.at(-1)?.about], [50, 'from zone z60', 'from zone z11']);
  });
});
