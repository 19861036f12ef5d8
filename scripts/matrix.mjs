// `npm run test:matrix`: what a person gets on each Node. For each, a fresh clone of this commit, in an empty folder
// with empty caches: the demo with its time, then the tests, then ten minutes of test/soak. The results go into the
// table of CONTRIBUTING.md, each with its commit. It ends with 1 when something failed.
//   npm run test:matrix -- 20 22              only these Nodes
//   npm run test:matrix -- demo tests soak    only these columns; the other cells stay as they are
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import './fitting-node.mjs';
import { main, Problem, ROOT, run, say } from './command.mjs';

/**
 * Packages of npm by their major version, and what is run there. Those that don't fit bring their own for all that
 * follows: their tests are those of 24.
 */
const NODES = {
  18: { version: '18.20.8' },
  20: { version: '20.20.2' },
  22: { version: '22.23.5', tests: true },
  24: { version: '24.21.0', tests: true },
  26: { version: '26.12.1', tests: true },
};
const SOAK_MINUTES = 10;
/** What npm, Node's test runner and our own tests set for their children. */
const OURS = /^(npm_(lifecycle|package|node|exec|command)|NODE$|NODE_(OPTIONS|ENV|TEST_CONTEXT)$|MERIDIAN_|NATS_SERVER$|ENVOY$|INIT_CWD$)/;
const COLUMNS = { demo: '`npm run demo -- --once`', tests: '`npm test`', soak: `${SOAK_MINUTES} minutes of \`test/soak\`` };
const PAGE = join(ROOT, 'CONTRIBUTING.md');
const BLOCK = /(<!-- matrix -->\n)([^]*?)(\n<!-- end of matrix -->)/;

await main(() => {
  const given = process.argv.slice(2);
  const unknown = given.find((word) => !(word in NODES) && !(word in COLUMNS));
  if (unknown)
    throw new Problem(`There is no ${unknown} in the matrix; there are ${[...Object.keys(NODES), ...Object.keys(COLUMNS)].join(', ')}.`);
  const chosen = (all) => (given.some((word) => word in all) ? given.filter((word) => word in all) : Object.keys(all));
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).output;
  const page = readFileSync(PAGE, 'utf8');
  const rows = readTable(BLOCK.exec(page)?.[2] ?? '');
  for (const major of chosen(NODES)) Object.assign(rows[major], row(NODES[major], chosen(COLUMNS), commit));
  const table = tableOf(rows);
  process.stdout.write(`${table}\n`);
  writeFileSync(
    PAGE,
    page.replace(BLOCK, (_, start, _before, end) => start + table + end),
  );
  return Object.values(rows).some((cells) => Object.values(cells).some((cell) => cell.startsWith('FAILS'))) ? 1 : 0;
});

/** Everything that one Node is asked, in a folder that is gone afterwards. Out: a cell for each column that was run. */
function row({ version, tests }, columns, commit) {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-matrix-'));
  try {
    const clone = join(folder, 'clone');
    must(run('git', ['clone', '--quiet', ROOT, clone]));
    const env = environment(folder, nodeOf(version, folder));
    const step = (name, program, args, more = {}) =>
      took(`Node ${version}: ${name}`, commit, () => run(program, args, { cwd: clone, env: { ...env, ...more }, show: true }));
    const steps = {
      demo: () => step('demo', 'npm', ['run', '--silent', 'demo', '--', '--once']),
      tests: () => step('tests', 'npm', ['run', '--silent', 'test']),
      soak: () => {
        must(run('npm', ['run', '--silent', 'build'], { cwd: clone, env, show: true }));
        return step('soak', 'node', ['test/soak/soak.ts', String(SOAK_MINUTES)], { MERIDIAN_BUILT: 'true' });
      },
    };
    return Object.fromEntries(columns.filter((column) => tests || column === 'demo').map((column) => [column, steps[column]()]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder of this version's program. */
function nodeOf(version, folder) {
  const name = `node-${process.platform}-${process.arch}`;
  const place = join(folder, 'node');
  mkdirSync(place);
  must(run('npm', ['install', '--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], { cwd: place }));
  return join(place, 'node_modules', name, 'bin');
}

/**
 * That of a person who begins: this Node first, nothing of ours set, nothing in a cache. How the network is reached
 * (proxies, certificates, a registry of one's own) stays.
 */
function environment(folder, bin) {
  const others = Object.entries(process.env).filter(([name]) => !OURS.test(name));
  const path = process.env.PATH.split(delimiter).filter((one) => !one.startsWith(ROOT) && !one.includes('node-gyp-bin'));
  const caches = { npm_config_cache: join(folder, 'npm'), PIP_CACHE_DIR: join(folder, 'pip'), XDG_CACHE_HOME: join(folder, 'cache') };
  return { ...Object.fromEntries(others), ...caches, GOMODCACHE: join(folder, 'go'), PATH: [bin, ...path].join(delimiter) };
}

function must({ ok, why }) {
  if (!ok) throw new Problem(why);
}

/** Out: how long it took and of which commit, or FAILS and why. */
function took(what, commit, work) {
  say(what);
  const start = performance.now();
  const { ok, why } = work();
  const seconds = `${((performance.now() - start) / 1000).toFixed(0)} s`;
  say(`${what}: ${ok ? seconds : why}`);
  return `${ok ? seconds : `FAILS after ${seconds}`} (${commit})`;
}

/** The cells of a table that `tableOf` wrote, by major version and column. */
function readTable(text) {
  const lines = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  return Object.fromEntries(
    Object.entries(NODES).map(([major, { version }]) => {
      const cells = lines.find((line) => line[1] === version) ?? [];
      return [major, Object.fromEntries(Object.keys(COLUMNS).map((column, index) => [column, cells[index + 2] ?? '-']))];
    }),
  );
}

function tableOf(rows) {
  const cells = Object.entries(rows).map(([major, row]) => [NODES[major].version, ...Object.keys(COLUMNS).map((column) => row[column])]);
  const lines = [['Node', ...Object.values(COLUMNS)], ['---', ...Object.keys(COLUMNS).map(() => '---')], ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}
