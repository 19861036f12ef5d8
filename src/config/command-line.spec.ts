import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments, usage } from './command-line.ts';
import { ZONE } from './settings.ts';

test('the arguments of a daemon', () => {
  const cases: readonly [string[], object][] = [
    [[], {}],
    [['-c', 'zone.yaml'], { config: 'zone.yaml' }],
    [['--config=zone.yaml', '-h', '--version'], { config: 'zone.yaml', help: true, version: true }],
  ];
  for (const [given, read] of cases) assert.deepEqual({ ...readArguments(given) }, read, given.join(' '));
  for (const wrong of [['--port=1'], ['zone.yaml'], ['-c']])
    assert.throws(() => readArguments(wrong), { code: 'invalid', hint: 'See --help.' });
});

test('the help names every setting, its variable, and whether it must be set', () => {
  const text = usage('meridian-zone', ZONE);
  for (const [key, { variable }] of Object.entries(ZONE)) assert.match(text, new RegExp(`^  ${key} +${variable} `, 'm'));
  assert.match(text, /^ {2}zoneName .*\(required\)$/m);
  assert.match(text, /^ {2}xdsPort .*\(default \d+\)$/m);
});
