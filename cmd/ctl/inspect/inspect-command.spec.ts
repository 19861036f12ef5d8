import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meridianctl, startStub } from '../../../test/harness/meridianctl.ts';
import { type PeerRow, toPeerRow } from './inspect-command.ts';

const HEAD = { store: 'aa', term: 1, revision: 9, digest: 'dd', count: 3 };
const EAST = {
  peer: 'east',
  online: true,
  upToDate: true,
  head: HEAD,
  ack: { refusals: '', position: { ...HEAD, revision: 7 } },
  stopped: null,
  about: { environment: 'kubernetes', systemNamespace: 'kuma-system', version: '1' },
  refused: [{ name: 'slow' }],
  absent: [],
};
const ROW: PeerRow = {
  zone: 'east',
  online: true,
  upToDate: true,
  refused: 1,
  behind: 0,
  environment: 'kubernetes',
  lastSeen: null,
  version: '1',
  reason: null,
};

describe('toPeerRow', () => {
  const ack = (position: object | null) => ({ ack: { refusals: '', position } });
  const cases: [title: string, peer: object, row: Partial<PeerRow>][] = [
    ['the same content at another revision', EAST, {}],
    ['behind', { ...EAST, ...ack({ ...HEAD, revision: 7, digest: 'ee' }) }, { behind: 2 }],
    ['another content at the same revision', { ...EAST, ...ack({ ...HEAD, digest: 'ee' }) }, { behind: null }],
    ['an earlier term', { ...EAST, ...ack({ ...HEAD, term: 0 }) }, { behind: null }],
    ['nothing taken yet', { ...EAST, ...ack(null) }, { behind: null }],
    [
      'never heard',
      { ...EAST, ack: null, about: undefined, online: false },
      { behind: null, environment: null, version: null, online: false },
    ],
    ['stopped', { ...EAST, stopped: { code: 'disabled', message: 'zone east is disabled' } }, { reason: 'zone east is disabled' }],
    ['leftovers', { ...EAST, absent: [{}, {}] }, { reason: '2 kept from an earlier store: see `meridianctl recover --drop-absent east`' }],
    ['more than are listed', { ...EAST, refusedCount: 700 }, { refused: 700 }],
    ['nothing is taken here', { ...EAST, notTaken: 'over_quota: x' }, { reason: 'not taken: over_quota: x' }],
    ['nothing is taken there', { ...EAST, ack: { ...EAST.ack, notTaken: 'full' } }, { reason: 'not taken: full' }],
    ['no shape at all', { peer: 'east' }, { online: false, upToDate: false, refused: 0, behind: null, environment: null, version: null }],
  ];
  for (const [title, peer, row] of cases) it(title, () => assert.deepEqual(toPeerRow(peer as never), { ...ROW, ...row }));
});

describe('meridianctl inspect zones', { concurrency: 2 }, () => {
  it('shows a table', async (t) => {
    const stub = await startStub(t, () => ({ body: { diverged: null, ended: null, peers: [EAST] } }));
    const { out, err } = await meridianctl(['inspect', 'zones', '--url', stub.url]);
    assert.deepEqual(
      out.split('\n').map((line) => line.split(/ {3,}/)),
      [
        ['ZONE', 'ONLINE', 'UP TO DATE', 'REFUSED', 'BEHIND', 'LAST SEEN', 'VERSION', 'ENVIRONMENT', 'REASON'],
        ['east', 'yes', 'yes', '1', '0', 'now', '1', 'kubernetes', '-'],
        [''],
      ],
    );
    assert.equal(err, '');
  });

  it('prints JSON, and warns beside it of a store that was restored', async (t) => {
    const stub = await startStub(t, () => ({ body: { diverged: 'it was restored', ended: null, peers: [EAST] } }));
    const { out, err } = await meridianctl(['inspect', 'zones', '-o', 'json', '--url', stub.url]);
    assert.deepEqual(JSON.parse(out), { items: [ROW] });
    assert.match(err, /sends nothing: it was restored; run `meridianctl recover`/);
  });
});
