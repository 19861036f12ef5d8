import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase } from '../database.ts';
import { createZoneUsage } from './zone-usage.ts';

const resources = (count: number) => ({ resources: count, bytes: 0, mirrored: 0, mirroredBytes: 0, keys: 0, names: 0 });

describe('what zones take up', () => {
  it('is as before after a rollback, without being read again', () => {
    const db = openDatabase(':memory:');
    const usage = createZoneUsage(db);
    usage.begun('transaction');
    assert.deepEqual(usage.of('east'), resources(0));
    usage.add('east', { resources: 5 });
    // A closed database can't be read.
    db.close();
    usage.begun('transaction');
    usage.begun('body');
    usage.add('east', { resources: 2 });
    usage.add('east', { resources: 1 });
    usage.begun('body');
    usage.add('east', { resources: 10 });
    usage.add('west', { resources: 1 });
    assert.deepEqual([usage.of('east'), usage.of('west')], [resources(18), resources(1)]);
    usage.rolledBack('body');
    assert.deepEqual([usage.of('east'), usage.of('west')], [resources(8), resources(0)]);
    usage.rolledBack('transaction');
    assert.deepEqual([usage.of('east'), usage.of('west')], [resources(5), resources(0)]);
  });

  it('is read again where it was first asked for within what is rolled back', () => {
    const db = openDatabase(':memory:');
    const usage = createZoneUsage(db);
    usage.begun('transaction');
    db.exec('BEGIN');
    assert.deepEqual(usage.of('east'), resources(0));
    db.exec('ROLLBACK');
    usage.rolledBack('transaction');
    assert.equal(usage.isCounting(), false);
    db.close();
  });
});
