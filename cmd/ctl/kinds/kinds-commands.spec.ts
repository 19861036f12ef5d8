import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KINDS } from '../../../src/resource/kinds.ts';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

describe('what needs no control plane', { concurrency: 2 }, () => {
  it('api-resources has every kind', async () => {
    const { out } = await meridianctl(['api-resources', '--no-headers']);
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)[0]),
      KINDS.map(({ type }) => type),
    );
  });

  const fields: [word: string, says: RegExp][] = [
    [
      'mt',
      /^MeshTimeout: object\n\nFIELD .*\ntargetRef +no +object\nto +no +list of object\nfrom +no +list of object\nrules +no +list of object\n$/,
    ],
    ['MeshTimeout.spec.to.targetRef.kind', /^MeshTimeout\.to\.targetRef\.kind: Mesh \| MeshService \|.*\n$/],
    ['mtp.rules.default.deny.spiffeID', /\ntype +yes +Exact \| Prefix\nvalue +yes +string/],
    ['zone', /\nattributes +no +map of string\n/],
  ];
  for (const [word, says] of fields) {
    it(`explains ${word}`, async () => {
      const { code, out, err } = await meridianctl(['explain', word]);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, says);
    });
  }

  it('says which field is near, or which there are', async () => {
    const near = await meridianctl(['explain', 'mt.spec.too']);
    assert.deepEqual([near.code, near.err], [1, 'error: MeshTimeout has no field too\nhint: did you mean to?\n']);
    assert.match((await meridianctl(['explain', 'mt.nonsense'])).err, /hint: it has targetRef, to, from, rules\n/);
    assert.equal((await meridianctl(['explain', 'nonsense'])).code, 2);
  });
});

describe('meridianctl version', () => {
  it('says both ends, or that the other does not answer', async (t) => {
    const stub = await startStub(t, () => ({ body: { implementation: { version: '9.9.9' } } }));
    assert.match((await meridianctl(['version', '--url', stub.url])).out, /^client: \d+\.\d+\.\d+.*\nserver: 9\.9\.9\n$/);
    const alone = await meridianctl(['version', '--url', 'http://127.0.0.1:1']);
    assert.deepEqual([alone.code, alone.out.split('\n')[1]], [0, 'server: none answers']);
  });
});
