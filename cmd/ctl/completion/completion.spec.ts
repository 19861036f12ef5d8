import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scope } from '../../../test/harness/scope.ts';
import { meridianctl } from '../../../test/harness/meridianctl.ts';
import { createProgram } from '../program.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completedCommands } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const scope = new Scope();
after(() => scope.close());

const commands = completedCommands(createProgram());

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

/** What stands behind the program's name, the last word being typed, and what may come in its place. */
const CASES: [words: string[], offered: string[]][] = [
  [['app'], ['apply']],
  [
    ['config', ''],
    ['view', 'control-planes'],
  ],
  [['config', 'control-planes', 's'], ['switch']],
  [['get', 'meshtim'], ['meshtimeouts']],
  [['get', 'al'], ['all']],
  [['-m', 'config', 'get', 'meshtim'], ['meshtimeouts']],
  [['get', 'meshtimeouts', ''], []],
  [['get', '-o', 'j'], ['json']],
  [['-o', 'y'], ['yaml']],
  [['get', '--output', '=', 'js'], ['json']],
  [
    ['export', '--format', ''],
    ['universal', 'kubernetes'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['apply', '--pr'], ['--prune']],
  [['apply', '--tok'], ['--token-file']],
  [['name', 'apply', '--pr'], []],
  [['ledger', '--peer', 'a'], []],
  [['apply', '-f', 'pol'], ['policy file.yaml']],
  [['inspect', 'policy', 'meshtl'], ['meshtlses']],
  [['nonsense', ''], []],
];

describe('the completion for bash', { skip: has('bash') ? false : 'there is no bash' }, () => {
  const folder = scope.folder();
  const script = join(folder, 'completion');
  writeFileSync(script, bashCompletion(commands));
  writeFileSync(join(folder, 'policy file.yaml'), '');

  /** What bash itself offers behind these words, the last of which is being typed. */
  function complete(...words: string[]): string[] {
    const typed = ['meridianctl', ...words].map((word) => `'${word}'`).join(' ');
    const program = `source '${script}'; COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _meridianctl; printf '%s\\n' "\${COMPREPLY[@]-}"`;
    return execFileSync('bash', ['--norc', '-uc', program], { encoding: 'utf8', cwd: folder }).split('\n').filter(Boolean);
  }

  for (const [words, offered] of CASES) {
    it(`offers ${offered.join(', ') || 'nothing'} behind ${words.join(' ')}`, () => assert.deepEqual(complete(...words), offered));
  }

  it('offers every command', () => {
    const names = createProgram().commands.map((command) => command.name());
    assert.deepEqual(complete(''), names);
  });

  it('is taken by a bash that sources what the program prints', async () => {
    const { code, out } = await meridianctl(['completion', 'bash']);
    assert.deepEqual([code, out], [0, bashCompletion(commands)]);
    const listed = execFileSync('bash', ['--norc', '-c', 'source <(cat); complete -p meridianctl'], { input: out, encoding: 'utf8' });
    assert.equal(listed, 'complete -F _meridianctl meridianctl\n');
  });
});

const scripts = { zsh: zshCompletion(commands), fish: fishCompletion(commands) };
for (const [shell, script] of Object.entries(scripts)) {
  it(`${shell}: has every command and option`, () => {
    for (const { path, options } of commands) {
      assert.ok(path === '' || script.includes(`'${path}'`), path);
      for (const { flags } of options)
        for (const flag of flags) assert.ok(script.includes(shell === 'fish' ? flag.replace(/^--?/, '') : flag), flag);
    }
  });
}

/**
 * What zsh offers: the function itself, with zsh's own helpers replaced by such that print. zsh leaves out what does
 * not begin with what was typed.
 */
function zsh(file: string, words: readonly string[]): string[] {
  const typed = ['meridianctl', ...words].map((word) => `'${word}'`).join(' ');
  const program = `
    compdef() {}; source '${file}'
    _describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${each%%:*}"; done }
    compadd() { shift; print -rl -- "$@" }
    _files() { print -rl -- * }
    words=(${typed}); CURRENT=${words.length + 1}; PREFIX='${words.at(-1) ?? ''}'
    _meridianctl`;
  const last = words.at(-1) ?? '';
  return ran('zsh', ['-fc', program], dirname(file)).filter((word) => word.startsWith(last));
}

/**
 * What fish itself offers, without the descriptions. It sorts, and looks for words in any place once none begins so.
 */
function fish(file: string, words: readonly string[]): string[] {
  const line = ['meridianctl', ...words].join(' ');
  const offered = ran('fish', ['--no-config', '-c', `source '${file}'; complete -C '${line}'`], dirname(file));
  return offered.map((each) => each.split('\t')[0] ?? '').map((each) => each.replaceAll('\\', ''));
}

/** Nothing may be said on standard error: it would stand in the middle of what somebody types. */
function ran(shell: string, args: readonly string[], cwd: string): string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8', cwd, env: { ...process.env, HOME: cwd } });
  assert.deepEqual([stderr, status === null], ['', false]);
  return stdout.split('\n').filter(Boolean);
}

for (const [shell, complete] of Object.entries({ zsh, fish })) {
  describe(`the completion for ${shell}`, { skip: has(shell) ? false : `there is no ${shell}` }, () => {
    const folder = scope.folder();
    const file = join(folder, 'completion');
    writeFileSync(file, scripts[shell === 'zsh' ? 'zsh' : 'fish']);
    writeFileSync(join(folder, 'policy file.yaml'), '');
    // `--output = js` is how bash splits; the others leave the word whole.
    for (const [words, offered] of CASES.filter(([all]) => !all.includes('='))) {
      it(`offers ${offered.join(', ') || 'nothing'} behind ${words.join(' ')}`, () =>
        assert.deepEqual(complete(file, words).sort(), [...offered].sort()));
    }

    it('offers every command', () => {
      const names = createProgram().commands.map((command) => command.name());
      assert.deepEqual(complete(file, ['']).sort(), names.sort());
    });
  });
}
