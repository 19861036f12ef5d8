// `npm run test:matrix`: what a person gets on each Node. For each, a fresh clone of this commit, in an empty folder
// with empty caches: the demo with its time, then the tests, then ten minutes of test/soak. Its table goes to
// CONTRIBUTING.md. It ends with 1 when something failed.
//   npm run test:matrix -- 20 22        only these
//   npm run test:matrix -- --demo       only the demo; writes no table
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
const PAGE = join(ROOT, 'CONTRIBUTING.md');
const BLOCK = /(<!-- matrix -->\n)[^]*?(\n<!-- end of matrix -->)/;

await main(() => {
  const given = process.argv.slice(2);
  const onlyDemo = given.includes('--demo');
  const asked = given.filter((word) => word !== '--demo');
  const unknown = asked.find((word) => !(word in NODES));
  if (unknown) throw new Problem(`There is no ${unknown} in the matrix; there are ${Object.keys(NODES).join(', ')}, and --demo.`);
  const majors = Object.keys(NODES).filter((major) => asked.length === 0 || asked.includes(major));
  const rows = majors.map((major) => row(NODES[major], onlyDemo));
  const table = tableOf(rows);
  process.stdout.write(`${table}\n`);
  if (!onlyDemo && asked.length === 0)
    writeFileSync(
      PAGE,
      readFileSync(PAGE, 'utf8').replace(BLOCK, (_, start, end) => start + table + end),
    );
  return rows.flat().some((cell) => cell.startsWith('FAILS')) ? 1 : 0;
});

/** Everything that one Node is asked, in a folder that is gone afterwards. Out: the cells of its row. */
function row({ version, tests }, onlyDemo) {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-matrix-'));
  try {
    const clone = join(folder, 'clone');
    must(run('git', ['clone', '--quiet', ROOT, clone]));
    const env = environment(folder, nodeOf(version, folder));
    const step = (name, program, args) => took(`Node ${version}: ${name}`, () => run(program, args, { cwd: clone, env, show: true }));
    const npm = (...args) => ['npm', ['run', '--silent', ...args]];
    const cells = [version, step('demo', ...npm('demo', '--', '--once'))];
    if (onlyDemo || !tests) return [...cells, '-', '-'];
    const soak = { ...env, MERIDIAN_BUILT: 'true' };
    return [
      ...cells,
      step('tests', ...npm('test')),
      took(`Node ${version}: soak`, () => run('node', ['test/soak/soak.ts', String(SOAK_MINUTES)], { cwd: clone, env: soak, show: true })),
    ];
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

/** That of a person who begins: this Node first, nothing of ours set, nothing in a cache. */
function environment(folder, bin) {
  const others = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE|MERIDIAN_|NATS_SERVER$|ENVOY$|INIT_CWD$)/i.test(name));
  const path = process.env.PATH.split(delimiter).filter((one) => !one.startsWith(ROOT) && !one.includes('node-gyp-bin'));
  const caches = { npm_config_cache: join(folder, 'npm'), PIP_CACHE_DIR: join(folder, 'pip'), XDG_CACHE_HOME: join(folder, 'cache') };
  return { ...Object.fromEntries(others), ...caches, GOMODCACHE: join(folder, 'go'), PATH: [bin, ...path].join(delimiter) };
}

function must({ ok, why }) {
  if (!ok) throw new Problem(why);
}

/** Out: how long it took, or FAILS and why. */
function took(what, work) {
  say(what);
  const start = performance.now();
  const { ok, why } = work();
  const seconds = `${((performance.now() - start) / 1000).toFixed(0)} s`;
  say(`${what}: ${ok ? seconds : why}`);
  return ok ? seconds : `FAILS after ${seconds}`;
}

function tableOf(rows) {
  const commit = run('git', ['rev-parse', '--short', 'HEAD']).output;
  const lines = [
    ['Node', '`npm run demo -- --once`', '`npm test`', `${SOAK_MINUTES} minutes of \`test/soak\``],
    ['---', '---', '---', '---'],
    ...rows,
  ];
  const day = new Date().toISOString().slice(0, 10);
  return `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\nCommit ${commit}, ${day}.`;
}
