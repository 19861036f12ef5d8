import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unreadVariables } from './unread-variables.ts';

test('a variable that no program reads is named, with what was probably meant', () => {
  const cases: readonly [string, string | undefined][] = [
    ['MERIDIAN_ZONENAME', 'MERIDIAN_ZONE_NAME'],
    ['MERIDIAN_LOGLEVEL', 'MERIDIAN_LOG_LEVEL'],
    ['MERIDIAN_XDS_PROT', 'MERIDIAN_XDS_PORT'],
    ['MERIDIAN_MULTIZONE_GLOBAL', undefined],
  ];
  for (const [name, meant] of cases) assert.deepEqual(unreadVariables({ [name]: 'x' }), [{ name, meant }]);
});

test('what any of the programs reads, what Kubernetes sets, and what is of others is no mistake', () => {
  const fine = ['MERIDIAN_ZONE_NAME', 'MERIDIAN_ZONE_MAX_RESOURCES', 'MERIDIAN_TOKEN', 'KUMA_ZONE_NAME', 'PATH'];
  const ofAService = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT', 'PORT_5681_TCP', 'PORT_5681_TCP_ADDR'];
  const all = [...fine, ...ofAService.map((end) => `MERIDIAN_GLOBAL_${end}`)];
  assert.deepEqual(unreadVariables(Object.fromEntries(all.map((name) => [name, 'x']))), []);
});
