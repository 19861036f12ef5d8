import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { growth, soak } from './soak.ts';

const ROUNDS = 16;

const scope = new Scope();
after(() => scope.close());

// Found by it: better-sqlite3 12 on Node 24.19 and later ends with SIGABRT in the first collection.
test('a global and a zone that are made to collect again and again live, and hold no more than before', async () => {
  const done = await soak(scope, (round) => round < ROUNDS);
  assert.equal(done.rounds, ROUNDS);
  for (const [process, bytes] of Object.entries(growth(done, 'held'))) assert.ok(bytes < 1_500_000, `${process} holds ${bytes} bytes more`);
});
