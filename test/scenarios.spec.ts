import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { join } from 'node:path';
import { compare } from './scenario/compare.ts';
import { play } from './scenario/play.ts';
import { readScenario } from './scenario/scenario.ts';

/** Every folder of test/scenarios is a test: see the README.md there. */
const FOLDER = fileURLToPath(new URL('scenarios', import.meta.url));

for (const entry of readdirSync(FOLDER, { withFileTypes: true })) {
  if (!entry.isDirectory()) continue;
  const scenario = readScenario(join(FOLDER, entry.name));
  test(`${entry.name}: ${scenario.title}`, () => compare(play(scenario), scenario));
}
