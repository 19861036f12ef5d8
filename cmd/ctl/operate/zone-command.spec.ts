import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const EAST = { type: 'Zone', name: 'east', creationTime: '2020-01-01T00:00:00Z', enabled: true, attributes: { region: 'eu' } };

describe('meridianctl zone', { concurrency: 2 }, () => {
  it('lists zones', async (t) => {
    const stub = await startStub(t, () => ({ body: { total: 2, items: [EAST, { ...EAST, name: 'west', enabled: false }], next: null } }));
    const { out } = await meridianctl(['zone', 'list', '--url', stub.url]);
    assert.match(out, /^NAME {3}ENABLED {3}AGE\neast {3}yes {7}\d+d\nwest {3}no {8}\d+d\n$/);
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
