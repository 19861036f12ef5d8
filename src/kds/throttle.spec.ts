import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Throttle } from './throttle.ts';

const MINUTE = 60_000;

test('the first line of a kind is said at once, what follows once a minute with how many there were', () => {
  const throttle = new Throttle<string>();
  const said = [0, 1, 2, 3].map((n) => throttle.admits('east', `line ${n}`, n));
  assert.deepEqual(said, [true, false, false, false]);
  assert.equal(throttle.admits('west', 'of another', 4), true);
  assert.deepEqual(throttle.due(MINUTE - 1), []);
  assert.deepEqual(throttle.due(MINUTE), [{ line: 'line 3', more: 2 }]);
  assert.equal(throttle.admits('east', 'line 4', MINUTE + 1), false);
  assert.deepEqual(throttle.due(2 * MINUTE), [{ line: 'line 4', more: 0 }]);
});

test('after a quiet minute the next is said at once again', () => {
  const throttle = new Throttle<string>();
  throttle.admits('east', 'a', 0);
  assert.deepEqual(throttle.due(MINUTE), []);
  assert.equal(throttle.admits('east', 'b', MINUTE), true);
});

test('whatever comes when: no line is lost from the count, and a kind has at most one a minute', () => {
  const events = fc.array(fc.record({ kind: fc.constantFrom('east', 'west'), after: fc.nat(MINUTE) }), { maxLength: 60 });
  fc.assert(
    fc.property(events, (lines) => {
      const throttle = new Throttle<string>();
      const saidAt: Record<string, number[]> = { east: [], west: [] };
      let [now, counted] = [0, 0];
      const due = (): void => {
        for (const { line, more } of throttle.due(now)) {
          counted += 1 + more;
          saidAt[line]?.push(now);
        }
      };
      for (const { kind, after } of lines) {
        now += after;
        due();
        if (!throttle.admits(kind, kind, now)) continue;
        counted += 1;
        saidAt[kind]?.push(now);
      }
      now += MINUTE;
      due();
      assert.equal(counted, lines.length);
      for (const times of Object.values(saidAt))
        for (const [index, time] of times.entries()) assert.ok(index === 0 || time - (times[index - 1] ?? 0) >= MINUTE);
    }),
  );
});
