import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { lines, meridianctl, PROGRAM, startStub, surroundings } from '../../../test/harness/meridianctl.ts';
import { until } from '../../../test/harness/until.ts';

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

  it('-w shows what is in a state, then what comes to it or leaves it, and reads the ledger only when something changed', async (t) => {
    const states = [['refused'], ['refused', 'applied'], ['applied', 'applied'], ['applied']];
    let [step, read] = [0, 0];
    const entries = (states: readonly string[]) =>
      states.map((state, index) => ({ ...ENTRY, kri: String(index), name: `p${index}`, peer: 'west', state }));
    const stub = await startStub(t, ({ path }) => {
      if (path === '/_sync') return { body: { step: Math.min(step++ >> 1, 3), lastSeen: step } };
      return { body: { total: 2, items: entries(states[read++] ?? []), next: null } };
    });
    const child = spawn(process.execPath, [...PROGRAM, 'ledger', '--state', 'refused', '-w', '--url', stub.url], { env: surroundings() });
    t.after(() => child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    await until('all was read', async () => read >= 4 || undefined);
    child.kill('SIGINT');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    const rows = out.trimEnd().split('\n').slice(1);
    assert.deepEqual(
      rows.map((row) =>
        row
          .split(/ {2,}/)
          .slice(2, 7)
          .filter((cell) => /^p\d|refused|applied|gone/.test(cell)),
      ),
      [
        ['p0', 'refused'],
        ['p0', 'applied'],
      ],
    );
    assert.ok(stub.asked.filter(({ path }) => path === '/_sync').length > read, 'it is asked whether anything changed');
  });
});
