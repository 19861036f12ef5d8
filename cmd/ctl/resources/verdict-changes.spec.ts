import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { formatChanges } from './verdict-changes.ts';

const PLAIN = { width: undefined, colours: false, headings: true };

const verdict = (decision: string, decidedBy: string | null, shadow = decision): JsonObject => ({
  decision,
  shadow,
  decidedBy,
  shadowDecidedBy: decidedBy,
});
const inbound = (dataplane: string): JsonObject => ({ kri: '', dataplane, zone: 'east', inbound: 'main' });

/** The cells of the only row, the first line and the heading left out. */
function row(from: JsonObject[], verdicts: JsonObject, inbounds = [inbound('a')], callerSets: JsonObject[] = []): string[] {
  const answer = { changes: [{ mesh: 'default', inbounds, callers: [{ from, verdicts: [verdicts] }] }], callerSets };
  return (formatChanges(answer, PLAIN).split('\n')[2] ?? '').split(/ {3,}/);
}

describe('formatChanges', () => {
  const plain = { before: verdict('Allow', 'kri_a'), after: verdict('Deny', null) };
  const id = { kind: 'identity', spiffeId: 'spiffe://td/a' };

  it('says that nothing changes', () => assert.equal(formatChanges({ changes: [], callerSets: [] }, PLAIN), 'no verdict changes\n'));

  it('never says that nothing changes where not everything was looked at', () => {
    const text = formatChanges({ incomplete: 'it took too long', changes: [], callerSets: [] }, PLAIN);
    assert.equal(text, 'NOT COMPLETE: it took too long\nno verdict change was found up to then\n');
  });

  it('says how many inbounds do', () => {
    const change = { mesh: 'default', inbounds: ['a', 'b'].map(inbound), callers: [{ from: [id], verdicts: [plain] }] };
    assert.equal(formatChanges({ changes: [change, change] }, PLAIN).split('\n')[0], 'verdicts change at 4 inbounds:');
  });

  it('has a row for each', () => {
    assert.deepEqual(row([id], plain), ['default', 'a:main', 'spiffe://td/a', 'always', 'Allow', 'Deny', 'kri_a', 'nobody']);
  });

  it('counts what would be too many', () => {
    assert.equal(row([id], plain, ['a', 'b', 'c', 'd', 'e'].map(inbound))[1], 'a:main, b:main, c:main and 2 more');
    assert.equal(row([id], plain, ['a', 'b', 'c', 'd'].map(inbound))[1], 'a:main, b:main, c:main, d:main');
  });

  const callers: [caller: JsonObject, shown: string][] = [
    [
      { kind: 'prefix', spiffeId: 'spiffe://td', except: [id, { kind: 'prefix', spiffeId: 'spiffe://td/b' }] },
      'spiffe://td/* but spiffe://td/a, spiffe://td/b/*',
    ],
    [{ kind: 'other' }, 'anybody else'],
    [{ kind: 'plaintext' }, 'plain text'],
    [{ kind: 'sans', sans: ['spiffe://m/', 'kuma://env/dev'] }, 'spiffe://m/+kuma://env/dev'],
    [{ kind: 'dataplanes', set: 1 }, 'proxies kri_dp_2'],
  ];
  for (const [caller, shown] of callers) {
    it(`names callers: ${shown}`, () => {
      const sets = [{ dataplanes: ['kri_dp_1'] }, { dataplanes: ['kri_dp_2'] }];
      assert.equal(row([caller], plain, [inbound('a')], sets)[2], shown);
    });
  }

  const conditions: [when: JsonObject, shown: string][] = [
    [{ method: 'GET' }, 'GET'],
    [{ methodNot: ['GET', 'PUT'], path: { type: 'Exact', value: '/a' } }, '/a not GET, PUT'],
    [{ path: { type: 'Prefix', value: '/' }, pathNot: [{ type: 'Prefix', value: '/v2' }] }, '/* not /v2/*'],
    [{ noPath: true }, 'no path'],
  ];
  for (const [when, shown] of conditions) it(`says when: ${shown}`, () => assert.equal(row([id], { ...plain, when })[3], shown));

  it('tells the shadow where it is another', () => {
    const cells = row([id], { before: verdict('Allow', 'kri_a'), after: verdict('Allow', 'kri_a', 'Deny') });
    assert.deepEqual(cells.slice(4), ['Allow', 'Allow (shadow Deny)', 'kri_a', 'kri_a (shadow kri_a)']);
  });
});
