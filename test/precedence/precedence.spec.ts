import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { Scope } from '../harness/scope.ts';
import { NO_KUMA_CP, startKumaZone } from '../side-by-side/kuma.ts';
import { addPair, type OrderComparison, newlyCompared } from './compare.ts';
import { KNOWN } from './differences.ts';
import { generatePairs, type PolicyPair } from './generate.ts';
import { Kuma } from './kumas.ts';
import type { ProxyAnswers } from './ours.ts';
import { RECORDED } from './recorded.ts';

const scope = new Scope();
after(() => scope.close());

function assertKnown({ unknown }: OrderComparison): void {
  assert.deepEqual(unknown.slice(0, 3), [], `${unknown.length} differences from Kuma are not in test/precedence/differences.ts`);
}

describe('order and verdict of pairs of policies', () => {
  it('are those of the real Kuma, as recorded', () => {
    const compared = newlyCompared();
    const lines = readFileSync(RECORDED, 'utf8').trim().split('\n');
    for (const { pair, kuma } of lines.map((line) => JSON.parse(line) as { pair: PolicyPair; kuma: ProxyAnswers }))
      addPair(compared, pair, kuma);
    assert.equal(compared.pairs, 300);
    assertKnown(compared);
    assert.deepEqual([...compared.seen.keys()].sort(), KNOWN.map(({ reason }) => reason).sort(), 'each known difference is there');
  });

  it('are those of a real Kuma', { skip: NO_KUMA_CP }, async () => {
    const kuma = new Kuma(await startKumaZone(scope));
    await kuma.prepare('');
    await kuma.prepare('ns');
    const compared = newlyCompared();
    for (const pair of generatePairs(1, 100)) addPair(compared, pair, await kuma.answer(pair));
    assert.equal(compared.pairs, 100);
    assertKnown(compared);
  });
});
