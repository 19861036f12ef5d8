import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throttledReport } from './throttled-report.ts';

test("a peer's warnings are said once, then counted; another peer's, another code's and what no peer brings about are not held back", () => {
  const said: string[] = [];
  let now = 0;
  const { report, flush, incidents } = throttledReport(
    (_level, event, details) => said.push(`${event} ${JSON.stringify(details)}`),
    () => now,
  );
  for (let i = 0; i < 1_000; i++) report('warn', 'refused', { peer: 'west', reason: `r${i}` });
  report('warn', 'refused', { peer: 'east', reason: 'r' });
  for (const code of ['diverged', 'disabled', 'diverged']) report('warn', 'notice', { peer: 'west', code });
  for (let i = 0; i < 2; i++) report('error', 'ended', {});
  flush();
  const first = [
    'refused {"peer":"west","reason":"r0"}',
    'refused {"peer":"east","reason":"r"}',
    'notice {"peer":"west","code":"diverged"}',
    'notice {"peer":"west","code":"disabled"}',
    'ended {}',
    'ended {}',
  ];
  assert.deepEqual(said, first);
  assert.deepEqual(incidents(), [
    { peer: 'west', event: 'refused', code: '', count: 1_000 },
    { peer: 'east', event: 'refused', code: '', count: 1 },
    { peer: 'west', event: 'notice', code: 'diverged', count: 2 },
    { peer: 'west', event: 'notice', code: 'disabled', count: 1 },
  ]);
  now = 60_000;
  flush();
  assert.deepEqual(said.slice(first.length), [
    'refused {"peer":"west","reason":"r999","more":998}',
    'notice {"peer":"west","code":"diverged","more":0}',
  ]);
});

test('made-up peers are counted together from some number on', () => {
  const { report, incidents } = throttledReport(
    () => {},
    () => 0,
  );
  for (let i = 0; i < 12_000; i++) report('warn', 'refused', { peer: `z${i}` });
  assert.equal(incidents().length, 10_001);
  assert.deepEqual(incidents().at(-1), { peer: '(others)', event: 'refused', code: '', count: 2_000 });
});
