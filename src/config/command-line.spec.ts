import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArguments, usage } from './command-line.ts';
import { ZONE } from './settings.ts';

test('the arguments of a daemon', () => {
  const cases: readonly [string[], object][] = [
    [[], {}],
    [['--check-config'], { 'check-config': true }],
    [['-c', 'zone.yaml'], { config: 'zone.yaml' }],
    [['--config=zone.yaml', '-h', '--version'], { config: 'zone.yaml', help: true, version: true }],
  ];
  for (const [given, read] of cases) assert.deepEqual({ ...readArguments(given) }, read, given.join(' '));
  for (const wrong of [['--port=1'], ['zone.yaml'], ['-c']])
    assert.throws(() => readArguments(wrong), { code: 'invalid', hint: 'See --help.' });
});

test('the help names every setting, its variable, what it is for, and whether it must be set, within 80 columns', () => {
  const text = usage('meridian-zone', ZONE);
  for (const [key, { variable }] of Object.entries(ZONE)) assert.match(text, new RegExp(`^  ${key} \\(${variable}\\)\n      [A-Z]`, 'm'));
  assert.match(text, /^ {2}zoneName .*\n {6}The name of this zone(.*\n){2}.* Required\.$/m);
  assert.match(text, /^ {2}xdsPort .*\n {6}The port for Envoys\.\n {6}Takes a port, .* Default: 5678\.$/m);
  assert.match(text, /^ {2}siteAttributes (.*\n){4}.* Default: none\.$/m);
  assert.deepEqual(
    text.split('\n').filter((line) => line.length > 80),
    [],
  );
});
