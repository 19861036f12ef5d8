import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

describe('meridianctl delete', { concurrency: 2 }, () => {
  it('deletes in the mesh that is meant, and says so', async (t) => {
    const stub = await startStub(t, () => ({ body: {} }));
    const done = await meridianctl(['delete', 'meshtimeout', 'slow.backend-ns', '-m', 'demo', '--url', stub.url]);
    assert.deepEqual(done, { code: 0, out: 'MeshTimeout demo/slow.backend-ns deleted\n', err: '' });
    assert.deepEqual(lines(stub), ['DELETE /meshes/demo/meshtimeouts/slow.backend-ns']);
  });

  it('takes an empty answer, and prints JSON', async (t) => {
    const stub = await startStub(t, () => ({ body: '' }));
    const { out } = await meridianctl(['delete', 'm', 'demo', '-o', 'json', '--url', stub.url]);
    assert.deepEqual(JSON.parse(out), { type: 'Mesh', mesh: '', name: 'demo', outcome: 'deleted' });
    assert.deepEqual(lines(stub), ['DELETE /meshes/demo']);
  });

  it('tells why it was refused', async (t) => {
    const stub = await startStub(t, () => ({ status: 405, body: { title: 'Method not allowed', detail: 'it belongs to zone east' } }));
    const { code, out, err } = await meridianctl(['delete', 'mt', 'slow', '-o', 'json', '--url', stub.url]);
    const error = { code: 'read_only', message: 'Method not allowed: it belongs to zone east', problems: [], hint: null };
    assert.deepEqual({ code, out, err: JSON.parse(err) as unknown }, { code: 1, out: '', err: { error } });
  });
});
