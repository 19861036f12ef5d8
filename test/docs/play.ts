import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { freePorts } from '../harness/envoy.ts';
import type { Scope } from '../harness/scope.ts';
import { type Fence, type MarkdownPage, ROOT } from './markdown.ts';

/**
 * Does what a page says, in a folder and a shell of its own: writes each block of YAML that names a file in its first
 * line (`# policies/shop.yaml`), runs each block of `sh`, and compares what it prints with the block of `text` behind
 * it.
 */

/** A bash that blocks are given to, one after the other: variables and background processes stay. */
export interface Shell {
  /** What the block printed, both streams, and how its last command ended. */
  run(block: string): Promise<{ readonly output: string; readonly code: number }>;
  readonly folder: string;
  /** As the page's text says, with the ports of this run. */
  own(text: string): string;
}

/** The ports that pages speak of. They are other ones here, for tests run beside one another. */
const PORTS = [
  4222, 4322, 5678, 5680, 5681, 5690, 5691, 5778, 5780, 5781, 5790, 5791, 5800, 5801, 5878, 8000, 8001, 8080, 8090, 9901, 9902,
];

/** The built ones, where MERIDIAN_BUILT says that dist/ is up to date (`npm test`). */
const PROGRAMS = process.env.MERIDIAN_BUILT === 'true' ? `'${join(ROOT, 'dist/cmd/NAME/main.js')}'` : `'${join(ROOT, 'cmd/NAME/main.ts')}'`;

export async function startShell(scope: Scope, natsServer: string, envoy: string): Promise<Shell> {
  const [folder, bin] = [join(scope.folder(), 'meridian'), scope.folder()];
  mkdirSync(folder);
  const free = await freePorts(PORTS.length);
  const ports = new Map(PORTS.map((port, index) => [port, free[index]]));
  const own = (text: string) => text.replace(/(?<![\d.])\d{4}(?!\d)/g, (digits) => String(ports.get(Number(digits)) ?? digits));
  writePrograms(bin, own, natsServer);
  symlinkSync(envoy, join(bin, 'envoy'));
  return startBash(scope, folder, bin, own);
}

/** In: where blocks run, a folder of programs that come before the PATH's, and what becomes of a page's text. */
export function startBash(scope: Scope, folder: string, bin: string, own: Shell['own'] = (text) => text): Shell {
  const env = { ...withoutOurs(), HOME: folder, PATH: `${bin}:${process.env.PATH ?? ''}`, NO_COLOR: '1', COLUMNS: '120' };
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'inherit'] });
  scope.add(() => {
    // All that it started in the background too.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });
  const ended = once(child, 'exit');
  let received = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const run = async (block: string) => {
    received = '';
    child.stdin.write(`{\n${own(block)}\n} 2>&1 </dev/null; printf '\\036%s\\n' $?\n`);
    for (;;) {
      const [, output, code] = /^([^]*)\x1e(\d+)\n$/.exec(received) ?? [];
      if (output !== undefined) return { output, code: Number(code) };
      await Promise.race([once(child.stdout, 'data'), ended.then(() => assert.fail(`bash ended: ${received}`))]);
    }
  };
  return { run, folder, own };
}

/** The built programs under their names, with this run's ports where a page relies on a default. */
function writePrograms(bin: string, own: (text: string) => string, natsServer: string): void {
  const program = (name: string) => `exec '${process.execPath}' ${PROGRAMS.replace('NAME', name)} "$@"`;
  const unless = (condition: string, variables: Readonly<Record<string, string>>) => {
    const set = Object.entries(variables).map(([name, value]) => `export MERIDIAN_${name}="\${MERIDIAN_${name}-${own(value)}}"`);
    return `${condition} || { ${set.join('; ')}; }`;
  };
  const configured = 'case "$1" in -c) true ;; *) false ;; esac';
  const defaults = { NATS_URL: 'nats://127.0.0.1:4222', API_PORT: '5681', DIAGNOSTICS_PORT: '5680' };
  const programs = {
    meridianctl: [unless('[ -e ~/.meridian/config ]', { URL: 'http://127.0.0.1:5681' }), program('ctl')],
    'meridian-global': [unless(configured, defaults), program('global')],
    'meridian-zone': [unless(configured, { ...defaults, XDS_PORT: '5678' }), program('zone')],
    'nats-server': [`[ "$1" = -c ] || set -- -a 127.0.0.1 -p ${own('4222')} "$@"`, `exec '${natsServer}' "$@"`],
  };
  for (const [name, lines] of Object.entries(programs)) writeFileSync(join(bin, name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 });
}

function withoutOurs(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(MERIDIAN_|NODE_TEST_CONTEXT$)/.test(name)));
}

/** A block that is run, and what the page says that it prints. */
interface BlockRun {
  readonly block: Fence;
  readonly printed: Fence | undefined;
}

/** A file that a page has. */
interface File {
  readonly file: string;
  readonly text: string;
}

function stepsOf({ fences }: MarkdownPage): (BlockRun | File)[] {
  return fences.flatMap((block, index): (BlockRun | File)[] => {
    const [, file] = /^# (\S+\.(?:yaml|conf))\n/.exec(block.text) ?? [];
    if (file !== undefined) return [{ file, text: block.text }];
    const next = fences[index + 1];
    if (block.language !== 'sh' || !block.isRun) return [];
    return [{ block, printed: next?.language === 'text' ? next : undefined }];
  });
}

/** How long a control plane that was just started may take, and a change to arrive. */
const PATIENCE_MS = 15_000;

/**
 * Plays a page. A block whose output is not as the page says is run again for a while: people are slower than we are.
 * Throws where it stays so.
 */
export async function play(page: MarkdownPage, shell: Shell, patience = PATIENCE_MS): Promise<void> {
  for (const step of stepsOf(page)) {
    if ('file' in step) {
      mkdirSync(dirname(join(shell.folder, step.file)), { recursive: true });
      writeFileSync(join(shell.folder, step.file), shell.own(step.text));
    } else await playStep(page, step, shell, patience);
  }
}

async function playStep({ path }: MarkdownPage, { block, printed }: BlockRun, shell: Shell, patience: number): Promise<void> {
  const deadline = performance.now() + patience;
  for (;;) {
    const { output, code } = await shell.run(block.text);
    if (printed ? isAs(output, printed.text) : code === 0) return;
    if (performance.now() > deadline)
      assert.equal(output, printed?.text ?? '', `${path}:${block.line} does not do what the page says (exit code ${code})`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * `...` in a page stands for anything, a line of it for any lines. Digits (times, ages, ports) and the widths of
 * columns may be others.
 */
export function isAs(output: string, printed: string): boolean {
  const pattern = plain(printed)
    .split('...')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^]*');
  return new RegExp(`^${pattern}$`).test(plain(output));
}

function plain(text: string): string {
  return text
    .replace(/\d+/g, '0')
    .replace(/[ \t]+/g, ' ')
    .replace(/ $/gm, '')
    .trim();
}
