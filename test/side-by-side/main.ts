import { writeFileSync } from 'node:fs';
import { NO_KUMACTL } from '../harness/kumactl.ts';
import { Scope } from '../harness/scope.ts';
import { judge, readKnown, type SeenDifference } from './differences.ts';
import { NO_KUMA_CP } from './kuma.ts';
import { PAGE, pageWithList } from './page.ts';
import { runBoth } from './run.ts';
import { SESSION } from './session.ts';

/**
 * Takes the same session at a real Kuma and at Meridian and prints where they differ:
 * `node test/side-by-side/main.ts [FOLDER]`. Both recordings go into the folder. Exit code 1 when a difference is not
 * in differences.json, or one in it is gone. `--page` only writes the list of differences.json into
 * docs/kuma-differences.md.
 */
async function main(): Promise<number> {
  const [, , argument] = process.argv;
  if (argument === '--page') {
    writeFileSync(PAGE, pageWithList());
    return 0;
  }
  const missing = NO_KUMACTL || NO_KUMA_CP;
  if (missing) throw new Error(missing);
  const scope = new Scope();
  try {
    const { kuma, meridian, seen } = await runBoth(scope);
    if (argument !== undefined) {
      writeFileSync(`${argument}/kuma.json`, JSON.stringify(kuma, undefined, 1));
      writeFileSync(`${argument}/meridian.json`, JSON.stringify(meridian, undefined, 1));
    }
    return tell(seen);
  } finally {
    await scope.close();
  }
}

function tell(seen: readonly SeenDifference[]): number {
  const { unknown, gone } = judge(seen, readKnown());
  for (const one of unknown) say(describe(one));
  for (const { about, fields, steps } of gone) say(`no longer there: ${about} (${fields.join(', ')} of ${steps.join(', ')})`);
  say(`${SESSION.length} steps, ${seen.length} differences: ${unknown.length} that are not known, ${gone.length} known ones that are gone`);
  return unknown.length + gone.length === 0 ? 0 : 1;
}

function describe({ step, field, kuma, meridian }: SeenDifference): string {
  return `${step}\n  ${field}\n    kuma:     ${short(kuma)}\n    meridian: ${short(meridian)}`;
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

process.exitCode = await main();
