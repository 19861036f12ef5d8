import { writeFileSync } from 'node:fs';
import { NO_KUMACTL } from '../harness/kumactl.js';
import { Scope } from '../harness/scope.js';
import { judge, readKnown, type Seen } from './differences.js';
import { NO_KUMA_CP, startKuma } from './kuma.js';
import { startMeridian } from './meridian.js';
import { differencesBetween, record } from './record.js';
import { SESSION } from './session.js';

/**
 * Takes the same session at a real Kuma and at Meridian and prints where they differ: `node --import tsx test/side-by-side/main.ts [FOLDER]`.
 * Into the folder, both recordings. Exit code 1 when a difference is not in differences.json, or one in it is gone.
 */
async function main(): Promise<number> {
  const missing = NO_KUMACTL || NO_KUMA_CP;
  if (missing) throw new Error(missing);
  const scope = new Scope();
  try {
    const [kuma, meridian] = await Promise.all([
      startKuma(scope).then((pair) => record(scope, SESSION, pair)),
      startMeridian(scope).then((pair) => record(scope, SESSION, pair)),
    ]);
    const [, , folder] = process.argv;
    if (folder !== undefined) {
      writeFileSync(`${folder}/kuma.json`, JSON.stringify(kuma, undefined, 1));
      writeFileSync(`${folder}/meridian.json`, JSON.stringify(meridian, undefined, 1));
    }
    return tell(differencesBetween(kuma, meridian));
  } finally {
    await scope.close();
  }
}

function tell(seen: readonly Seen[]): number {
  const { unknown, gone } = judge(seen, readKnown());
  for (const { step, field, kuma, meridian } of unknown)
    say(`${step}\n  ${field}\n    kuma:     ${short(kuma)}\n    meridian: ${short(meridian)}`);
  for (const { about, fields } of gone) say(`no longer there: ${about} (${fields.join(', ')})`);
  say(`${SESSION.length} steps, ${seen.length} differences: ${unknown.length} that are not known, ${gone.length} known ones that are gone`);
  return unknown.length + gone.length === 0 ? 0 : 1;
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
