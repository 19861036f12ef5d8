import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { breed, hunt, planted } from './breed.ts';
import { MUTANTS } from './mutants.ts';

/**
 * The simulator finds faults: each of the list is bred into a copy of the code and hunted. A few that are found at once
 * here; all of them, as often as the protocol changes, with `SIM_MUTANTS=all`, which takes some minutes.
 */
const all = process.env.SIM_MUTANTS === 'all';
const AT_ONCE = 10;

const scope = new Scope();
after(() => scope.close());

describe('a planted fault', () => {
  for (const mutant of MUTANTS) {
    const { name, within } = mutant;
    const hunted = all || within <= AT_ONCE;
    if (!hunted) {
      it(`${name}: can still be planted`, () => void planted(mutant));
      continue;
    }
    it(`${name}: is found within ${within} seeds`, async () => {
      const folder = scope.folder();
      breed(mutant, folder);
      assert.match(await hunt(folder, 1, within), /^\d+ ./);
    });
  }
});
