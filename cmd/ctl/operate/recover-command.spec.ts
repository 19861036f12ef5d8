import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

describe('meridianctl recover', { concurrency: 2 }, () => {
  const orders: [args: string[], order: object][] = [
    [[], {}],
    [['--accept-store', 'east'], { acceptStore: 'east' }],
    [['--drop-absent', 'east', '--yes', '--accept-store', 'west'], { dropAbsent: 'east', acceptStore: 'west' }],
  ];
  for (const [args, order] of orders) {
    it(`gives the order ${JSON.stringify(order)}, and prints what was done`, async (t) => {
      const stub = await startStub(t, () => ({ body: { done: ['this store sends again, in term 2', 'b'] } }));
      const done = await meridianctl(['recover', ...args, '--url', stub.url]);
      assert.deepEqual(done, { code: 0, out: 'this store sends again, in term 2\nb\n', err: '' });
      assert.deepEqual(
        stub.asked.map(({ method, path, body }) => [method, path, JSON.parse(body) as unknown]),
        [['POST', '/_recover', order]],
      );
    });
  }

  it('gives nothing up without --yes where nobody can be asked', async () => {
    const { code, err } = await meridianctl(['recover', '--drop-absent', 'east']);
    assert.equal(code, 2);
    assert.match(err, /What east sent before and has not sent since is given up here\. Say --yes if that is meant/);
  });

  it('wants nothing but options: a stray word is no order', async () => assert.equal((await meridianctl(['recover', 'east'])).code, 2));
});
