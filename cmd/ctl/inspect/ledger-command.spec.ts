import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const ENTRY = { kri: 'kri_mt_default_east_ns_slow_', type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: 'ns', name: 'slow' };
const ITEMS = [
  { ...ENTRY, peer: 'west', state: 'refused', reason: 'mesh default does not exist\u001b[2J', since: '2020-01-01T00:00:00Z' },
  { ...ENTRY, zone: '', namespace: '', peer: 'north', state: 'applied' },
];

describe('meridianctl ledger', { concurrency: 2 }, () => {
  it('shows where each resource stands', async (t) => {
    const stub = await startStub(t, () => ({ body: { total: 1, items: ITEMS, next: null } }));
    const { out } = await meridianctl(['ledger', '--url', stub.url]);
    const [heading, refused, applied] = out.split('\n').map((line) => line.split(/ {3,}/));
    assert.deepEqual(heading, ['TYPE', 'MESH', 'NAME', 'NAMESPACE', 'ORIGIN', 'PEER', 'STATE', 'SINCE', 'REASON']);
    assert.deepEqual(refused?.toSpliced(7, 1), [
      'MeshTimeout',
      'default',
      'slow',
      'ns',
      'east',
      'west',
      'refused',
      'mesh default does not exist [2J',
    ]);
    assert.deepEqual(applied, ['MeshTimeout', 'default', 'slow', '-', 'global', 'north', 'applied', '-', '-']);
  });

  const addresses: [args: string[], address: string][] = [
    [[], '/_ledger?size=500'],
    [['mt'], '/_ledger?type=MeshTimeout&size=500'],
    [['mt', '-m', 'demo'], '/_ledger?type=MeshTimeout&mesh=demo&size=500'],
    [['mt', 'slow', '--peer', 'west'], '/_ledger?type=MeshTimeout&name=slow&peer=west&mesh=default&size=500'],
    [['mt', 'slow', '-m', ''], '/_ledger?type=MeshTimeout&name=slow&size=500'],
    [['mesh', 'demo'], '/_ledger?type=Mesh&name=demo&size=500'],
  ];
  for (const [args, address] of addresses) {
    it(`asks for ${address}`, async (t) => {
      const stub = await startStub(t, () => ({ body: { total: 2, items: ITEMS, next: null } }));
      const { code, out } = await meridianctl(['ledger', ...args, '-o', 'json', '--url', stub.url]);
      assert.deepEqual([code, lines(stub), JSON.parse(out)], [0, [`GET ${address}`], { items: ITEMS }]);
    });
  }

  it('shows a delete on its way, what is not known, and how many proxies have it', async (t) => {
    const gone = { ...ENTRY, peer: 'west', state: 'on its way', deleted: true, reason: 'deleted; the connection is lost' };
    const unknown = [{ peer: 'north', reason: 'it is behind' }];
    const stub = await startStub(t, () => ({
      body: { total: 1, items: [gone], next: null, unknown, proxies: { connected: 4, current: 3 } },
    }));
    const { code, out, err } = await meridianctl(['ledger', '--url', stub.url]);
    assert.equal(code, 0);
    assert.match(out, /delete on its way/);
    assert.match(err, /north: it is behind\nin force: 3 of 4 connected proxies/);
  });

  for (const [exists, code, says] of [
    [false, 1, /nothing of the name nope here/],
    [true, 0, /nothing of that is sent/],
  ] as const) {
    it(`ends with ${code} where the name ${exists ? 'exists' : 'never existed'}`, async (t) => {
      const stub = await startStub(t, () => ({ body: { total: 0, items: [], next: null, unknown: [], exists } }));
      const ended = await meridianctl(['ledger', 'mt', 'nope', '--url', stub.url]);
      assert.equal(ended.code, code);
      assert.match(ended.err, says);
    });
  }
});
