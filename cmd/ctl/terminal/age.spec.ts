import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatAge } from './age.ts';

const NOW = Date.parse('2026-01-10T00:00:00Z');

describe('formatAge', () => {
  const cases: [time: unknown, age: string][] = [
    ['2026-01-10T00:00:00Z', '0s'],
    ['2026-01-09T23:59:01Z', '59s'],
    ['2026-01-09T23:59:00Z', '1m'],
    ['2026-01-09T23:00:01.5Z', '59m'],
    ['2026-01-09T23:00:00Z', '1h'],
    ['2026-01-09T00:00:01Z', '23h'],
    ['2026-01-09T00:00:00Z', '1d'],
    ['2025-01-10T00:00:00Z', '365d'],
    ['2026-01-10T00:00:09Z', '0s'],
    ['soon', ''],
    [undefined, ''],
  ];
  for (const [time, age] of cases) it(`${String(time)}: ${age}`, () => assert.equal(formatAge(time, NOW), age));
});
