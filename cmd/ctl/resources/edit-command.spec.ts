import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type CtlRequest, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const POLICY = {
  type: 'MeshTimeout',
  mesh: 'default',
  name: 'slow',
  labels: { 'kuma.io/display-name': 'slow' },
  spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout: '1s' } }] },
};
const outcome = { results: [{ type: 'MeshTimeout', mesh: 'default', name: 'slow', outcome: 'changed' }] };
const answer = ({ method }: CtlRequest) => ({ body: method === 'POST' ? outcome : POLICY });

describe('meridianctl edit', { concurrency: 2 }, () => {
  it('applies what the editor saved', async (t) => {
    const stub = await startStub(t, answer);
    const done = await meridianctl(['edit', 'mt/slow', '--url', stub.url], { env: { EDITOR: 'sed -i s/1s/2s/' } });
    assert.deepEqual(done, { code: 0, out: 'MeshTimeout default/slow changed\n', err: '' });
    const [sent] = JSON.parse(stub.asked.at(-1)?.body ?? '') as (typeof POLICY)[];
    assert.equal(sent?.spec.to[0]?.default.idleTimeout, '2s');
  });

  it('sends nothing where nothing was changed, or the editor failed', async (t) => {
    const stub = await startStub(t, answer);
    assert.equal((await meridianctl(['edit', 'mt', 'slow', '--url', stub.url], { env: { EDITOR: 'true' } })).err, 'nothing was changed\n');
    assert.equal((await meridianctl(['edit', 'mt', 'slow', '--url', stub.url], { env: { EDITOR: 'false' } })).code, 1);
    assert.ok(stub.asked.every(({ method }) => method === 'GET'));
  });

  it('loses nothing that was typed', async (t) => {
    const refusal = { status: 400, body: { title: 'Could not process a resource', detail: 'no' } };
    const stub = await startStub(t, (asked) => (asked.method === 'POST' ? refusal : answer(asked)));
    const { code, err } = await meridianctl(['edit', 'mt', 'slow', '--url', stub.url], { env: { EDITOR: 'sed -i s/1s/9s/' } });
    assert.equal(code, 1);
    assert.match(readFileSync(/your text is in (\S+):/.exec(err)?.[1] ?? '', 'utf8'), /9s/);
  });
});
