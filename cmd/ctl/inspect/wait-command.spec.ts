import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CannedAnswer, type CtlRequest, lines, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const HEAD = { store: 'a1', term: 1, revision: 9, digest: 'ff', count: 3 };
const LATE = { ...HEAD, revision: 7, digest: 'ee', count: 2 };

function peer(name: string, position: object, online = true) {
  return { peer: name, online, upToDate: true, head: HEAD, ack: { position, refusals: '' }, refused: [], absent: [] };
}

/** A global whose peers stand as `rounds` says: one state for each time that it is asked, the last one for ever. */
function globalWith(rounds: object[][], ledger: object[] = []) {
  let round = 0;
  return ({ path, method }: CtlRequest): CannedAnswer => {
    if (path.startsWith('/_ledger')) return { body: { total: ledger.length, items: ledger, next: null } };
    if (method === 'POST') return { body: { results: [result('slow'), result('fast')] } };
    const peers = rounds[Math.min(round, rounds.length - 1)];
    round += 1;
    return { body: { peers } };
  };
}

const result = (name: string) => ({ type: 'MeshTimeout', mesh: 'default', name, kri: `kri_mt_default___${name}_`, outcome: 'created' });
const refused = (name: string) => ({ ...result(name), peer: 'west', state: 'refused', reason: 'it needs a newer version' });
const APPLY = ['apply', '-f', '-', '--wait', '--timeout', '1'];
const INPUT = { input: 'type: MeshTimeout\nmesh: default\nname: slow\nspec: {}\n' };

describe('meridianctl wait', { concurrency: 2 }, () => {
  it('asks until every zone has all', async (t) => {
    const stub = await startStub(
      t,
      globalWith([
        [peer('east', HEAD), peer('west', LATE)],
        [peer('east', HEAD), peer('west', HEAD)],
      ]),
    );
    const { code, out, err } = await meridianctl(['wait', '--url', stub.url]);
    assert.deepEqual([code, out, err], [0, 'all is at east, west\n', '']);
    assert.deepEqual(lines(stub), ['GET /_sync', 'GET /_sync', 'GET /_ledger?size=500']);
  });

  it('names who is late at the timeout, and does not say that all arrived', async (t) => {
    const stub = await startStub(t, globalWith([[peer('east', LATE), peer('west', LATE, false)]]));
    const { code, out, err } = await meridianctl(['wait', '--timeout', '1', '--url', stub.url]);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /not in all zones after 1 s: still waiting for east \(2 behind\), west \(offline\)/);
  });

  it('fails for what a zone has refused', async (t) => {
    const stub = await startStub(t, globalWith([[peer('west', HEAD)]], [refused('slow')]));
    const { code, err } = await meridianctl(['wait', '--url', stub.url]);
    assert.equal(code, 1);
    assert.match(err, /MeshTimeout default\/slow: west refused it: it needs a newer version/);
  });
});

describe('meridianctl apply --wait', { concurrency: 2 }, () => {
  it('says what was applied, in one line after many, and where it arrived', async (t) => {
    const stub = await startStub(t, globalWith([[peer('west', LATE)], [peer('west', HEAD)]]));
    const { code, out, err } = await meridianctl([...APPLY, '--url', stub.url], INPUT);
    assert.deepEqual([code, out], [0, 'MeshTimeout default/slow created\nMeshTimeout default/fast created\n']);
    assert.equal(err, '2 created\nall is at west\n');
  });

  it('fails for what of it was refused, and not for other things', async (t) => {
    const other = await startStub(t, globalWith([[peer('west', HEAD)]], [refused('other')]));
    assert.equal((await meridianctl([...APPLY, '--url', other.url], INPUT)).code, 0);
    const stub = await startStub(t, globalWith([[peer('west', HEAD)]], [refused('slow')]));
    const { code, err } = await meridianctl([...APPLY, '--url', stub.url], INPUT);
    assert.equal(code, 1);
    assert.match(err, /west refused it/);
  });

  it('waits for nothing that was only tried', async () => {
    assert.equal((await meridianctl([...APPLY, '--dry-run'], INPUT)).code, 2);
    assert.equal((await meridianctl(['apply', '-f', '-', '--dry-run=client'], INPUT)).code, 2);
  });
});
