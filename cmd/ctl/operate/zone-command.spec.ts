import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const EAST = { type: 'Zone', name: 'east', creationTime: '2020-01-01T00:00:00Z', enabled: true, attributes: { region: 'eu' } };

describe('meridianctl zone', { concurrency: 2 }, () => {
  it('lists zones', async (t) => {
    const peers = [{ peer: 'east', online: false, lastSeen: new Date(Date.now() - 200_000).toISOString(), about: { version: '0.1.0' } }];
    const zones = { total: 2, items: [EAST, { ...EAST, name: 'west', enabled: false }], next: null };
    const stub = await startStub(t, ({ path }) => ({ body: path === '/_sync' ? { peers } : zones }));
    for (const words of [
      ['zone', 'list'],
      ['get', 'zones'],
    ]) {
      const { out } = await meridianctl([...words, '--url', stub.url]);
      assert.match(
        out,
        /^NAME +ENABLED +ONLINE +LAST SEEN +VERSION +AGE\neast +yes +no +3m ago +0\.1\.0 +\d+d\nwest +no +- +- +- +\d+d\n$/,
        words.join(' '),
      );
    }
  });

  it('lists zones where nobody says how they stand, and says how one is made where there are none', async (t) => {
    const stub = await startStub(t, ({ path }) =>
      path === '/_sync' ? { status: 403, body: { title: 'no' } } : { body: { total: 1, items: [EAST], next: null } },
    );
    assert.match((await meridianctl(['zone', 'list', '--url', stub.url])).out, /\neast +yes +- +- +- +\d+d\n$/);
    const none = await startStub(t, () => ({ body: { total: 0, items: [], next: null } }));
    for (const words of [
      ['zone', 'list'],
      ['get', 'zones'],
    ])
      assert.deepEqual(await meridianctl([...words, '--url', none.url]), {
        code: 0,
        out: '',
        err: 'no zones: `meridianctl zone add NAME` gives one its credential\n',
      });
  });

  for (const [verb, enabled] of [
    ['disable', false],
    ['enable', true],
  ] as const) {
    it(`${verb}s a zone, and leaves the rest of it alone`, async (t) => {
      const stub = await startStub(t, () => ({ body: EAST }));
      const done = await meridianctl(['zone', verb, 'east', '--url', stub.url]);
      assert.deepEqual(done, { code: 0, out: `zone east ${verb}d\n`, err: '' });
      assert.deepEqual(lines(stub), ['GET /zones/east', 'PUT /zones/east']);
      assert.deepEqual(JSON.parse(stub.asked[1]?.body ?? ''), { ...EAST, enabled });
    });
  }

  for (const args of [['zone'], ['zone', 'disable'], ['zone', 'destroy', 'east']]) {
    it(`is wrong usage: ${args.join(' ')}`, async () => assert.equal((await meridianctl(args)).code, 2));
  }
});
