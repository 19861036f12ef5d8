// What `npm test` checks before it runs the specs, and `npm run lint` and `npm run format` alone: node
// scripts/checks.mjs NAME...
import { join } from 'node:path';
import { isProgram, main, ROOT, run, timed } from './command.mjs';
import { prepareDependencies } from './prepare.mjs';

const CHECKS = {
  format: ['@biomejs/biome/bin/biome', 'format', '.'],
  formatted: ['@biomejs/biome/bin/biome', 'format', '--write', '.'],
  lint: ['oxlint/bin/oxlint'],
  types: ['typescript/bin/tsc', '--noEmit', '-p', '.'],
  page: ['typescript/bin/tsc', '-p', 'src/dashboard'],
  unused: ['knip/bin/knip.js', '--no-progress'],
};

/** Runs all that are named, so that one run shows all that is wrong. Out: the names of those that failed. */
export function failedChecks(names) {
  const passes = (name) => {
    const [program, ...args] = CHECKS[name];
    return timed(`checking ${name}`, () => run(process.execPath, [join(ROOT, 'node_modules', program), ...args], { show: true }).ok);
  };
  return names.filter((name) => !passes(name));
}

if (isProgram(import.meta.url)) {
  await main(() => {
    prepareDependencies();
    return failedChecks(process.argv.slice(2)).length === 0 ? 0 : 1;
  });
}
