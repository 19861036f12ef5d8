import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meridianctl } from '../../../test/harness/meridianctl.ts';

const GOOD = `apiVersion: kuma.io/v1alpha1
kind: MeshTimeout
metadata: {name: slow, namespace: backend-ns}
spec: {to: [{targetRef: {kind: MeshService, name: backend}, default: {idleTimeout: 1s}}]}
`;
const BAD = 'type: MeshTimeout\nname: odd\nspec: {tox: []}\n';

describe('meridianctl lint', { concurrency: 2 }, () => {
  it('prints what it knows of each document as JSON', async () => {
    const { code, out, err } = await meridianctl(['lint', '-f', '-', '--zone', 'east', '-o', 'json'], { input: GOOD });
    assert.equal(code, 0);
    assert.match(err, /^warning: -, document 1: a MeshTimeout is matched, merged and shown, and not enforced: .*\n$/);
    const to = [{ targetRef: { kind: 'MeshService', name: 'backend', namespace: 'backend-ns' }, default: { idleTimeout: '1s' } }];
    const explicit = { targetRef: { kind: 'Mesh' }, to };
    const named = { type: 'MeshTimeout', name: 'slow', namespace: 'backend-ns' };
    assert.deepEqual(JSON.parse(out), [{ ...named, role: 'producer', reaches: 'global, every other zone', explicit, problems: [] }]);
  });

  it('exits with 1 for a problem, and shows where it is', async () => {
    const { code, out } = await meridianctl(['lint', '-f', '-'], { input: `${GOOD}---\n${BAD}` });
    assert.equal(code, 1);
    assert.match(out, /^TYPE .*\nMeshTimeout +slow +backend-ns +producer +global, every other zone +none\nMeshTimeout +odd .* 1\n/);
    assert.match(out, /\n-, document 2: spec\.tox: is not a known field\n$/);
  });

  it('goes by the environment and the system namespace', async () => {
    const universal = await meridianctl(['lint', '-f', '-', '--environment', 'universal'], { input: GOOD });
    assert.equal(universal.code, 1);
    const system = await meridianctl(['lint', '-f', '-', '--system-namespace', 'backend-ns', '-o', 'json'], { input: GOOD });
    assert.equal((JSON.parse(system.out) as { role: string }[])[0]?.role, 'system');
  });

  it('never takes an empty input for a good one', async () => {
    const { code, err } = await meridianctl(['lint', '-f', '-'], { input: '' });
    assert.equal(code, 1);
    assert.match(err, /there are no documents in -/);
  });

  const wrong = [
    ['--zone', 'East'],
    ['--environment', 'vm'],
    ['--system-namespace', 'a.b'],
  ];
  for (const args of wrong) {
    it(`is wrong usage: ${args.join(' ')}`, async () => assert.equal((await meridianctl(['lint', '-f', '-', ...args])).code, 2));
  }
});
