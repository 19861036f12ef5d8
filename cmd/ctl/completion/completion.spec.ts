import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Scope } from '../../../test/harness/scope.js';
import { meridianctl } from '../harness.spec.js';
import { createProgram } from '../program.js';
import { bashCompletion } from './bash.js';
import { fishCompletion } from './fish.js';
import { completedCommands } from './tree.js';
import { zshCompletion } from './zsh.js';

const scope = new Scope();
after(() => scope.close());

const commands = completedCommands(createProgram());

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

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

  const cases: [words: string[], offered: string[]][] = [
    [['ap'], ['apply']],
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
  for (const [words, offered] of cases) {
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

describe('the completions for zsh and fish', () => {
  const scripts = { zsh: zshCompletion(commands), fish: fishCompletion(commands) };
  for (const [shell, script] of Object.entries(scripts)) {
    it(`${shell}: has every command and option`, () => {
      for (const { path, options } of commands) {
        assert.ok(path === '' || script.includes(`'${path}'`), path);
        for (const { flags } of options)
          for (const flag of flags) assert.ok(script.includes(shell === 'fish' ? flag.replace(/^--?/, '') : flag), flag);
      }
    });
    it(`${shell}: is a script of it`, { skip: has(shell) ? false : `there is no ${shell}` }, () => {
      assert.equal(spawnSync(shell, ['-n'], { input: script }).status, 0);
    });
  }
});
