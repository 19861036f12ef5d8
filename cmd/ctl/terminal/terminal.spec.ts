import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PROGRAM, startStub, surroundings } from '../../../test/harness/meridianctl.ts';

/** util-linux' `script` gives a program a terminal; that of other systems has other options. */
const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
const skip = stdout?.includes('util-linux') ? false : 'there is no `script` of util-linux to make a terminal with';

/** All that a terminal of 60 columns gets from the command line, standard error included. */
function onTerminal(args: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const command = `stty cols 60; exec '${process.execPath}' ${PROGRAM.map((word) => `'${word}'`).join(' ')} ${args}`;
  return promisify(execFile)('script', ['-qec', command, '/dev/null'], { env: surroundings(env) }).then(({ stdout: out }) => out);
}

const ENTRY = { kri: 'kri_mt_default___slow_', type: 'MeshTimeout', mesh: 'default', zone: '', namespace: '', name: 'slow', peer: 'west' };
const items = [{ ...ENTRY, state: 'refused', reason: 'it is refused for a reason that takes more room than there is on this terminal' }];
const answer = () => ({ body: { total: 1, items, next: null } });

describe('on a terminal', { skip, concurrency: 2 }, () => {
  it('tables fit it and have colours, and progress is shown and taken away', async (t) => {
    const stub = await startStub(t, answer);
    const ledger = await onTerminal(`ledger --url ${stub.url}`);
    assert.ok(ledger.includes('\u001b[31m'));
    for (const line of ledger.split('\r\n')) assert.ok(plain(line).length <= 60, line);
    assert.match(plain(ledger), /refused {3}-\r\n {3}it is refused for a reason that takes more room than\r\n {3}there is on this/);
    const list = await onTerminal(`get mt --url ${stub.url}`);
    assert.ok(list.includes('\r\u001b[Kread 1 resources\r\u001b[K'));
  });

  it('NO_COLOR takes the colours, not the width', async (t) => {
    const stub = await startStub(t, answer);
    const ledger = await onTerminal(`ledger --url ${stub.url}`, { NO_COLOR: '1' });
    assert.ok(!ledger.includes('\u001b['));
    assert.match(ledger, /west {3}refused {3}-\r\n {3}it is/);
  });

  it('JSON is for scripts there too', async (t) => {
    const stub = await startStub(t, answer);
    assert.deepEqual(JSON.parse(await onTerminal(`ledger -o json --url ${stub.url}`)), { items });
  });
});

function plain(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what it looks for
  return line.replaceAll(/\u001b\[\d*m/g, '');
}
