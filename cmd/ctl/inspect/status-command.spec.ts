import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CtlRequest, meridianctl, startStub } from '../../../test/harness/meridianctl.ts';

const HEAD = { store: 'a1', term: 1, revision: 9, digest: 'ff', count: 3 };
const WELL = { online: true, upToDate: true, head: HEAD, ack: { position: HEAD, refusals: '' }, refused: [], absent: [] };
const BAD_ITEM = { type: 'MeshTimeout', mesh: 'demo', name: 'slow', reason: 'mesh demo does not exist here\u001b[2J' };

function controlPlane(peers: object[], zone?: string) {
  const config = { mode: zone ? 'zone' : 'global', environment: 'universal', ...(zone ? { multizone: { zone: { name: zone } } } : {}) };
  return ({ path }: CtlRequest) => {
    if (path === '/config') return { body: config };
    return { body: path === '/' ? { implementation: { version: '0.1.0' } } : { peers } };
  };
}

describe('meridianctl status', { concurrency: 2 }, () => {
  const cases: [title: string, peers: object[], zone: string | undefined, says: RegExp][] = [
    [
      'all is well',
      [
        { ...WELL, peer: 'east' },
        { ...WELL, peer: 'west' },
      ],
      undefined,
      /\nin step with both zones\n\nZONE .*\neast /,
    ],
    ['nobody', [], undefined, /\nno zone was ever connected: `meridianctl zone add NAME` gives one its credential\n$/],
    ['a zone', [{ ...WELL, peer: 'global' }], 'east', /^zone east \(universal, Meridian 0\.1\.0\) at http.*\nin step with global\n/],
    ['one is away', [{ ...WELL, peer: 'east', online: false }], undefined, /\n1 of 1 offline\n/],
    ['one is late', [{ ...WELL, peer: 'east', ack: null }], undefined, /\n1 of 1 not up to date\n/],
    [
      'one sent what was refused',
      [{ ...WELL, peer: 'east', refused: [BAD_ITEM] }],
      undefined,
      /\n1 refused here\n[^]*\nrefused of east: MeshTimeout demo\/slow: mesh demo does not exist here \[2J\n$/,
    ],
  ];
  for (const [title, peers, zone, says] of cases) {
    it(`says that ${title}`, async (t) => {
      const stub = await startStub(t, controlPlane(peers, zone));
      const { code, out } = await meridianctl(['status', '--url', stub.url]);
      assert.equal(code, 0);
      assert.match(out, says);
    });
  }

  it('gives scripts the counts', async (t) => {
    const stub = await startStub(t, controlPlane([{ ...WELL, peer: 'east', refused: [BAD_ITEM] }]));
    const { out } = await meridianctl(['status', '-o', 'json', '--url', stub.url]);
    const { zone, known, offline, late, refused } = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual({ zone, known, offline, late, refused }, { zone: 'global', known: 1, offline: 0, late: 0, refused: 1 });
  });
});
