import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const entry = {
  id: 7,
  time: '2026-01-01T00:00:00Z',
  principal: 'ci',
  role: 'admin',
  address: '10.0.0.1',
  operation: 'put',
  type: 'MeshTimeout',
  mesh: 'default',
  name: 'slow',
  kri: 'kri_mt_default___slow_',
  outcome: 'created',
  revision: 3,
  code: '',
};
const ANSWER = {
  total: 9,
  items: [entry, { ...entry, principal: '', kri: '', outcome: 'refused', revision: null, code: 'unauthorized' }],
  next: 'http://x/_audit?before=6',
};

describe('meridianctl audit', { concurrency: 2 }, () => {
  it('shows who did what', async (t) => {
    const stub = await startStub(t, () => ({ body: ANSWER }));
    const { code, out } = await meridianctl(['audit', '--url', stub.url]);
    const rows = out
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(/ {3,}/));
    assert.equal(code, 0);
    assert.deepEqual(rows, [
      ['2026-01-01T00:00:00Z', 'ci', '10.0.0.1', 'put', 'kri_mt_default___slow_', 'created', '3', '-'],
      ['2026-01-01T00:00:00Z', 'nobody known', '10.0.0.1', 'put', 'MeshTimeout slow', 'refused', '-', 'unauthorized'],
    ]);
    assert.deepEqual(lines(stub), ['GET /_audit?size=50']);
  });

  it('narrows, and gives scripts the entries', async (t) => {
    const stub = await startStub(t, () => ({ body: ANSWER }));
    const options = ['--by', 'ci', '--operation', 'put', '--refused', '--last', '5', '-m', 'demo', '--kri', 'kri_a'];
    const { out } = await meridianctl(['audit', ...options, '-o', 'json', '--url', stub.url]);
    assert.deepEqual(JSON.parse(out), { total: 9, items: ANSWER.items });
    assert.deepEqual(lines(stub), ['GET /_audit?principal=ci&operation=put&kri=kri_a&mesh=demo&outcome=refused&size=5']);
  });

  it('says that there is nothing, and what is no count', async (t) => {
    const stub = await startStub(t, () => ({ body: { total: 0, items: [], next: null } }));
    const none = await meridianctl(['audit', '--url', stub.url]);
    assert.deepEqual(none, { code: 0, out: '', err: 'nothing of that is recorded\n' });
    assert.equal((await meridianctl(['audit', '--last', '0'])).code, 2);
  });
});
