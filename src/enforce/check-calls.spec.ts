import assert from 'node:assert/strict';
import { it } from 'node:test';
import { OUTCOME_REASONS } from '../control/access/check-counts.ts';
import { PolicyCounts } from '../control/access/policy-counts.ts';
import type { InboundRules } from '../control/enforce/proxy-rules.ts';
import type { Key } from '../resource/key.ts';
import { CallGate } from './check-calls.ts';

const CALLER = 'spiffe://default.west.mesh.local/ns/shop/dataplane/orders-1';
const service = (name: string): Key => ({ type: 'MeshService', mesh: 'default', zone: 'east', namespace: 'pay', name });
const inbound = (name: string, asked: readonly Key[] | undefined): InboundRules => ({
  ...{ name, address: '127.0.0.1', port: 80, serviceAddress: undefined, servicePort: 80, protocol: 'http' },
  ...{ rbac: {}, plaintextToo: false, routes: [] },
  ...(asked ? { asked } : {}),
});
const RULES = {
  inbounds: [
    ...[inbound('web', [service('web')]), inbound('both', [service('web'), service('db')])],
    ...[inbound('none', []), inbound('open', undefined)],
  ],
  problems: [],
  warnings: [],
};

it('a call is let in by a token for what the inbound is; all else is denied, counted, and said', () => {
  const [shown, log] = [[] as string[], [] as unknown[]];
  const gate = new CallGate({
    enforcement: { rulesOf: (mesh, name) => (mesh === 'default' && name === 'a.shop' ? RULES : undefined) },
    exchange: {
      consume: (token, caller, { name }) => {
        shown.push(`${token} ${caller} ${name}`);
        return token === 'good' ? { use: 'consumed', zone: 'west' } : { use: 'late' };
      },
    },
    now: () => 0,
    report: (...line) => void log.push(line),
  });
  const cases = [
    ['a.shop', 'web', CALLER, 'good', 'consumed'],
    ['a.shop', 'web', CALLER, 'old', 'late'],
    ['a.shop', 'web', CALLER, undefined, 'no-token'],
    ['a.shop', 'web', '', 'good', 'no-identity'],
    ['a.shop', 'web', 'CN=orders', 'good', 'no-identity'],
    ['a.shop', 'both', CALLER, 'good', 'several-services'],
    ['a.shop', 'none', CALLER, 'good', 'no-service'],
    ['a.shop', 'open', CALLER, 'good', 'not-asked'],
    ['a.shop', 'other', CALLER, 'good', 'not-asked'],
    ['b.shop', 'web', CALLER, 'good', 'not-asked'],
  ] as const;
  for (const [name, at, caller, token, outcome] of cases) {
    const answer = gate.check({ proxy: { mesh: 'default', name }, inbound: at, caller, token });
    assert.deepEqual(answer, outcome === 'consumed' ? { allowed: true } : { allowed: false, reason: OUTCOME_REASONS[outcome] });
  }
  // A token that could not be for this inbound is not used up.
  assert.deepEqual(shown, [`good ${CALLER} web`, `old ${CALLER} web`]);
  const counted = gate.counts.read().filter(({ count }) => count > 0);
  const expected = new Map<string, number>();
  for (const [, , , , outcome] of cases) expected.set(outcome, (expected.get(outcome) ?? 0) + 1);
  assert.deepEqual(new Map(counted.map(({ reason, count }) => [reason, count])), expected);
  assert.deepEqual(
    counted.filter(({ verdict }) => verdict === 'allow').map(({ reason }) => reason),
    ['consumed'],
  );
  assert.equal(log.length, new Set(cases.map(([name, , , , outcome]) => `${name} ${outcome}`)).size - 1);
  assert.ok(!JSON.stringify(log).includes('good'));
});

it('the first hundred policies are counted by name, all after them together', () => {
  const counts = new PolicyCounts();
  for (let round = 0; round < 2; round++) for (let n = 0; n < 150; n++) counts.decided(n % 2 === 0, service(`p-${n}`));
  counts.decided(false, undefined);
  const read = counts.read();
  assert.equal(read.length, 103);
  assert.deepEqual(
    read.filter(({ policy }) => policy === 'others' || policy === 'none').map(({ verdict, count }) => [verdict, count]),
    [
      ['allow', 50],
      ['deny', 50],
      ['deny', 1],
    ],
  );
});
