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

  it('deletes several, and what files hold in the reverse order, the mesh last', async (t) => {
    const stub = await startStub(t, () => ({ body: { mode: 'global', environment: 'universal' } }));
    const { out } = await meridianctl(['delete', 'mt/slow', 'MeshRetry/often', '--url', stub.url]);
    assert.equal(out, 'MeshTimeout default/slow deleted\nMeshRetry default/often deleted\n');
    const input = ['Mesh', 'MeshTimeout', 'MeshRetry'].map(
      (type) => `type: ${type}\nname: a\n${type === 'Mesh' ? '' : 'mesh: demo\nspec: {}\n'}`,
    );
    await meridianctl(['delete', '-f', '-', '--url', stub.url], { input: input.join('---\n') });
    assert.deepEqual(lines(stub), [
      'DELETE /meshes/default/meshtimeouts/slow',
      'DELETE /meshes/default/meshretries/often',
      'GET /config',
      'DELETE /meshes/demo/meshretries/a',
      'DELETE /meshes/demo/meshtimeouts/a',
      'DELETE /meshes/a',
    ]);
  });

  it('goes on over what is not there only where that is said', async (t) => {
    const stub = await startStub(t, ({ path }) =>
      path.endsWith('/gone') ? { status: 404, body: { title: 'x', detail: 'Not found' } } : { body: {} },
    );
    const both = ['delete', 'mt', 'gone', 'slow', '--url', stub.url];
    assert.deepEqual(
      [(await meridianctl(both)).code, (await meridianctl([...both, '--ignore-not-found'])).out],
      [1, 'MeshTimeout default/slow deleted\n'],
    );
  });

  it('says at which proxies whose verdicts would change without all of it, and deletes nothing', async (t) => {
    const verdict = (decision: string) => ({ decision, shadow: decision, decidedBy: null, shadowDecidedBy: null });
    const callers = [
      { from: [{ kind: 'identity', spiffeId: 'spiffe://td/a' }], verdicts: [{ before: verdict('Allow'), after: verdict('Deny') }] },
    ];
    const changes = [{ mesh: 'default', inbounds: [{ kri: 'k', dataplane: 'web', zone: 'west', inbound: '80' }], callers }];
    const stub = await startStub(t, ({ path }) => {
      if (path.endsWith('/gone')) return { status: 404, body: { title: 'x', detail: 'Not found' } };
      return { body: path === '/_without' ? { changes, callerSets: [] } : {} };
    });
    const run = (...words: string[]) => meridianctl(['delete', ...words, '--url', stub.url]);
    const { code, out } = await run('mtp', 'a', 'gone', 'b', '--ignore-not-found', '--dry-run');
    assert.equal(code, 0);
    assert.match(out, /^MeshTrafficPermission default\/a deleted \(dry run\)\n.*\/b deleted \(dry run\)\nverdicts change at 1 inbound:\n/);
    assert.match(out, /web:80 +spiffe:\/\/td\/a +always +Allow +Deny/);
    const named = (name: string) => ({ type: 'MeshTrafficPermission', mesh: 'default', name });
    const json = JSON.parse((await run('mtp', 'a', '--dry-run=server', '-o', 'json')).out) as object;
    assert.deepEqual(json, { dryRun: true, results: [{ ...named('a'), outcome: 'deleted' }], changes, callerSets: [] });
    const [first] = stub.asked.filter(({ path }) => path === '/_without');
    assert.deepEqual(JSON.parse(first?.body ?? ''), { resources: [named('a'), named('b')] });
    assert.ok(stub.asked.every(({ method }) => method !== 'DELETE'));
    assert.deepEqual([(await run('mtp', 'gone', '--dry-run')).code, (await run('mtp', 'a', '--dry-run=client')).code], [1, 2]);
  });

  it('asks before a Zone goes, and wants to know what', async () => {
    assert.match((await meridianctl(['delete', 'zone', 'east'])).err, /This deletes the Zone east\. Say --yes/);
    for (const words of [[], ['mt'], ['mt', 'a', '-f', '-'], ['mt/']])
      assert.equal((await meridianctl(['delete', ...words])).code, 2, words.join(' '));
  });

  it('tells why it was refused', async (t) => {
    const stub = await startStub(t, () => ({ status: 405, body: { title: 'Method not allowed', detail: 'it belongs to zone east' } }));
    const { code, out, err } = await meridianctl(['delete', 'mt', 'slow', '-o', 'json', '--url', stub.url]);
    const error = { code: 'read_only', message: 'Method not allowed: it belongs to zone east', problems: [], hint: null };
    assert.deepEqual({ code, out, err: JSON.parse(err) as unknown }, { code: 1, out: '', err: { error } });
  });
});
