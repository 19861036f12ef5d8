import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { command, expect, printed } from './tell.ts';

/** The built command line as the reader has it: with a file of contexts, one for each control plane. */
export interface Meridianctl {
  /** Shows a command and what it prints; on a terminal in its width and colours. */
  show(line: string): Promise<void>;
  /** Runs one without a word. Out: its standard output. */
  run(line: string): Promise<string>;
}

/** In: the file of contexts. A command is expected to end with 0; no argument of it has a space. */
export function meridianctl(config: string): Meridianctl {
  const run = async (line: string, shown: boolean): Promise<string> => {
    const stream = shown && process.stdout.isTTY ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, ['dist/cmd/ctl/main.js', ...line.split(' ')], {
      env: { ...process.env, MERIDIAN_CONFIG: config },
      stdio: ['ignore', stream, stream],
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([child.stdout, child.stderr].map(async (from) => (from ? text(from) : '')));
    expect(`meridianctl ${line}`, await ended, 0);
    if (shown && stream === 'pipe') printed(`${out}${err}`);
    return out ?? '';
  };
  return {
    run: (line) => run(line, false),
    async show(line) {
      command(`meridianctl ${line}`);
      await run(line, true);
    },
  };
}
