import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { watchCommits } from '../commits.js';
import { NAMES, run, step } from '../random-commits.spec.js';
import { EAST, newGlobal, newZone } from '../sample.spec.js';
import { Enforcement } from './enforcement.js';

it('the rules of proxies after any commits are those that working all out again gives', () => {
  let served = 0;
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 4, maxLength: 12 }), fc.nat(), (turns, skip) => {
      const unwatched = newZone(EAST, newGlobal(EAST));
      const { plane } = watchCommits(unwatched, () => {});
      const kept = new Enforcement(plane, true);
      for (const [turn, steps] of turns.entries()) {
        for (const one of steps) run(one, plane, unwatched);
        const [rulesOf, again] = [kept.rulesIn('default'), new Enforcement(unwatched, true).rulesIn('default')];
        for (const [index, name] of NAMES.entries()) {
          // A proxy that is not there for a while.
          if (index === 0 && (turn + skip) % 3 === 0) continue;
          const rules = rulesOf(`${name}.app`);
          assert.deepEqual(rules, again(`${name}.app`));
          assert.equal(kept.rulesOf('default', `${name}.app`), rules);
          served += rules?.inbounds.length ?? 0;
        }
      }
    }),
    { numRuns: 25 },
  );
  assert.ok(served > 80, `only ${served} inbounds`);
});
