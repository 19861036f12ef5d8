import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { growth, soak } from './soak.ts';

const ROUNDS = 16;

const scope = new Scope();
after(() => scope.close());

/**
 * In bytes. Measured: 0.3 MB on Node 22, 0.4 to 0.55 on 24 and 26, which is code that is compiled and the bounded
 * journal of commits; 2 KB that are kept for each write are 1.3 MB more.
 */
const FLAT = 1_000_000;

test('a global and a zone that are made to collect again and again live, and hold no more than before', async () => {
  const done = await soak(scope, (round) => round < ROUNDS);
  assert.equal(done.rounds, ROUNDS);
  for (const [process, bytes] of Object.entries(growth(done, 'held'))) assert.ok(bytes < FLAT, `${process} holds ${bytes} bytes more`);
});
