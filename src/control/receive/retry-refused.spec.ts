import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import type { Draft } from '../../resource/resource.ts';
import { retryAllRefused } from './retry-refused.ts';
import { carry, EAST, MESH, newGlobal, newZone, NOW } from '../../../test/harness/control-planes.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

const MOON: Draft = { ...MESH, name: 'moon' };
const ACCESS: Draft = {
  type: 'AccessPolicy',
  mesh: 'moon',
  name: 'first-by-name',
  namespace: undefined,
  labels: {},
  spec: { action: 'deny', from: [{ workloadSelector: {} }], to: [{ workloadSelector: {} }] },
};

test('a newer program takes a mesh that an older one refused, and all that is in it, at its first start', () => {
  const global = newGlobal(EAST);
  const east = newZone(EAST, global);
  writeDrafts(global, [MOON, ACCESS]);
  carry(global, east);
  east.store.commit((tx) => {
    for (const item of [...tx.mirror.each(GLOBAL_PEER)].filter(({ key }) => [key.name, key.mesh].includes('moon'))) {
      tx.delete(item.key);
      const refusal = { key: item.key, hash: item.hash, reason: 'unknown field', since: NOW, inForce: 'none' as const };
      tx.mirror.put(GLOBAL_PEER, { ...item, refusal });
    }
  });
  assert.equal(east.store.mirror.refusals(GLOBAL_PEER).length, 2);
  retryAllRefused(east);
  assert.deepEqual(east.store.mirror.refusals(GLOBAL_PEER), []);
});
