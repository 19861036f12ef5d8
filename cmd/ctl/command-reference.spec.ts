import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from './program.ts';
import { formatReference } from './command-reference.ts';
import { SHAPES } from './output-shapes.ts';

const page = new URL('../../docs/reference/meridianctl.md', import.meta.url);

function all(command: Command, path = ''): { path: string; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((inner) => all(inner, `${path} ${inner.name()}`.trim()))];
}

describe('the reference of meridianctl', () => {
  it('is up to date', () => {
    const written = readFileSync(page, 'utf8');
    assert.equal(written, formatReference(createProgram()), 'it is stale: node scripts/reference.mjs');
  });

  it('describes every command, option and argument', () => {
    for (const { path, command } of all(createProgram())) {
      assert.notEqual(command.description(), '', path);
      for (const option of command.options) assert.notEqual(option.description, '', `${path} ${option.flags}`);
    }
  });

  it('says what every command prints that takes -o', () => {
    const commands = all(createProgram());
    const silent = commands.filter(({ path, command }) => command.commands.length === 0 && SHAPES[path] === undefined);
    assert.deepEqual(
      silent.map(({ path }) => path),
      [],
    );
    const paths = commands.map(({ path }) => path);
    assert.deepEqual(
      Object.keys(SHAPES).filter((path) => !paths.includes(path)),
      [],
    );
  });
});
