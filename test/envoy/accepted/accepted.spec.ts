import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Scope } from '../../harness/scope.ts';
import { openStage, play } from './play.ts';

/** Batches of about 700 documents; the same at length: `node test/envoy/accepted/long.ts DOCUMENTS SEED`. */
const SEED = Number(process.env.MERIDIAN_ACCEPTED_SEED ?? 1);

it(`what is accepted builds, a real Envoy takes it, and \`can\` says what it does, seed ${SEED}`, async (test) => {
  const scope = new Scope();
  try {
    const counts = await play(await openStage(scope), SEED, 120);
    assert.ok(counts.accepted > 100 && counts.accepted < counts.documents && counts.listeners > 100, JSON.stringify(counts));
    assert.ok(counts.allowed > 0 && counts.denied > 0, JSON.stringify(counts));
    test.diagnostic(JSON.stringify(counts));
  } finally {
    await scope.close();
  }
});
