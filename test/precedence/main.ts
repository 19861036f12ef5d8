import { writeFileSync } from 'node:fs';
import { Scope } from '../harness/scope.ts';
import { KUMA_CP, startKumaZone } from '../side-by-side/kuma.ts';
import { addPair, newlyCompared } from './compare.ts';
import { generatePairs, type PolicyPair } from './generate.ts';
import { Kuma } from './kumas.ts';
import type { ProxyAnswers } from './ours.ts';
import { RECORDED } from './recorded.ts';

/**
 * Compares generated pairs of policies with a real kuma-cp ($KUMA_CP), and prints the differences with their reasons.
 *
 *   node test/precedence/main.ts SEED COUNT            5,000 take about five minutes
 *   node test/precedence/main.ts SEED COUNT --record   writes pairs and answers to test/reference/precedence.jsonl
 */
async function main(): Promise<void> {
  const [seed = '1', count = '5000', record] = process.argv.slice(2);
  if (KUMA_CP === undefined) throw new Error('there is no kuma-cp: set KUMA_CP');
  const scope = new Scope();
  const kuma = new Kuma(await startKumaZone(scope));
  const compared = newlyCompared();
  const answers: { pair: PolicyPair; kuma: ProxyAnswers }[] = [];
  try {
    await kuma.prepare('');
    await kuma.prepare('ns');
    for (const pair of generatePairs(Number(seed), Number(count))) {
      const answer = await kuma.answer(pair);
      answers.push({ pair, kuma: answer });
      addPair(compared, pair, answer);
      if (compared.pairs % 500 === 0) process.stdout.write(`${compared.pairs} pairs, ${compared.unknown.length} unknown differences\n`);
    }
  } finally {
    await scope.close();
  }
  for (const difference of compared.unknown.slice(0, 10)) process.stdout.write(`${JSON.stringify(difference, undefined, 1)}\n`);
  for (const [reason, times] of compared.seen) process.stdout.write(`${times} pairs: ${reason}\n`);
  process.stdout.write(`${compared.pairs} pairs, ${compared.unknown.length} unknown differences\n`);
  if (record === '--record') writeFileSync(RECORDED, `${answers.map((answer) => JSON.stringify(answer)).join('\n')}\n`);
  process.exitCode = compared.unknown.length > 0 ? 1 : 0;
}

await main();
