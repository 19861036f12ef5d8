import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditOutcome, AuditRecord } from '../resource/store/audit.ts';
import { AUDIT_DONE, AUDIT_REFUSED } from './audit-log.ts';
import { openStore } from './open-store.ts';
import { OPTIONS } from '../../test/harness/test-store.ts';

function record(outcome: AuditOutcome, name: string): AuditRecord {
  const head = { time: '2026-01-01T00:00:00Z', principal: 'p', role: 'admin', address: '', operation: 'put' };
  return { ...head, type: '', mesh: '', name, kri: '', outcome, revision: null, code: '' };
}

describe('the records of who did what', () => {
  it('keep so many of each sort, the newest: refusals push out nothing that was done', () => {
    const store = openStore(':memory:', OPTIONS);
    const write = (outcome: AuditOutcome, count: number) =>
      store.commit((tx) => tx.recordAudit(Array.from({ length: count }, (_, index) => record(outcome, `${outcome} ${index}`))));
    write('done', 2_000);
    write('refused', AUDIT_REFUSED + 5_000);
    const count = (outcome: string) => store.audit.list({ outcome }, undefined, 1).total;
    assert.deepEqual([count('done'), count('refused')], [2_000, AUDIT_REFUSED]);
    write('done', AUDIT_DONE);
    assert.deepEqual([count('done'), count('refused')], [AUDIT_DONE, AUDIT_REFUSED]);
    const newest = store.audit.list({}, undefined, 2).items.map(({ name }) => name);
    assert.deepEqual(newest, [`done ${AUDIT_DONE - 1}`, `done ${AUDIT_DONE - 2}`]);
    store.close();
  });

  it('go with their commit, and are written in one alone', () => {
    const store = openStore(':memory:', OPTIONS);
    assert.throws(() =>
      store.commit((tx) => {
        tx.recordAudit([record('done', 'a')]);
        throw new Error('no');
      }),
    );
    assert.equal(store.audit.list({}, undefined, 1).total, 0);
    let outside: Parameters<Parameters<typeof store.commit>[0]>[0] | undefined;
    store.commit((tx) => (outside = tx));
    assert.throws(() => outside?.recordAudit([record('done', 'a')]), { code: 'internal' });
    store.close();
  });
});
