import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { IssuedTokens, MOST_TOKENS, TOKEN_LIFE } from './issued-tokens.ts';

const CALLER = 'spiffe://default.east.mesh.local/ns/shop/sa/orders';
const LEDGER = { type: 'MeshService', mesh: 'default', zone: 'west', namespace: 'pay', name: 'ledger' };

function tokens() {
  const clock = { now: 1_000 };
  return { clock, issued: new IssuedTokens({ now: () => clock.now, secret: () => randomBytes(32).toString('base64url') }) };
}

function issue(issued: IssuedTokens, zone = 'east', caller = CALLER): string {
  const token = issued.issue(zone, caller, LEDGER);
  assert.ok(token !== undefined);
  return token;
}

describe('a token', () => {
  it('lets its caller in once', () => {
    const { issued } = tokens();
    const token = issue(issued);
    assert.deepEqual(issued.consume(token, CALLER, LEDGER), { outcome: 'consumed', zone: 'east' });
    assert.deepEqual(issued.consume(token, CALLER, LEDGER), { outcome: 'unknown' });
  });

  const others: readonly (readonly [what: string, caller: string, service: typeof LEDGER])[] = [
    ['another caller', `${CALLER}2`, LEDGER],
    ['a caller whose name begins so', CALLER.slice(0, -1), LEDGER],
    ['nobody', '', LEDGER],
    ['another service', CALLER, { ...LEDGER, name: 'cart' }],
    ['a service of another namespace', CALLER, { ...LEDGER, namespace: 'shop' }],
    ['a service of another zone', CALLER, { ...LEDGER, zone: 'north' }],
    ['a service of another mesh', CALLER, { ...LEDGER, mesh: 'other' }],
  ];
  for (const [what, caller, service] of others) {
    it(`is worth nothing for ${what}, and is gone then`, () => {
      const { issued } = tokens();
      const token = issue(issued);
      assert.deepEqual(issued.consume(token, caller, service), { outcome: 'other-use' });
      assert.deepEqual(issued.consume(token, CALLER, LEDGER), { outcome: 'unknown' });
    });
  }

  it('ends', () => {
    const { clock, issued } = tokens();
    const [early, late] = [issue(issued), issue(issued)];
    clock.now += TOKEN_LIFE - 1;
    assert.equal(issued.consume(early, CALLER, LEDGER).outcome, 'consumed');
    clock.now += 1;
    assert.deepEqual(issued.consume(late, CALLER, LEDGER), { outcome: 'late' });
  });

  it('is none that was made up', () => {
    const { issued } = tokens();
    const token = issue(issued);
    const made = [
      '',
      ' ',
      token.slice(1),
      `${token}A`,
      ` ${token}`,
      randomBytes(32).toString('base64url'),
      '__proto__',
      'x'.repeat(1_000_000),
    ];
    for (const one of made) assert.deepEqual(issued.consume(one, CALLER, LEDGER), { outcome: 'unknown' });
    assert.equal(issued.consume(token, CALLER, LEDGER).outcome, 'consumed');
  });

  it('dies with its process', () => {
    const token = issue(tokens().issued);
    assert.deepEqual(tokens().issued.consume(token, CALLER, LEDGER), { outcome: 'unknown' });
  });

  it('is kept nowhere', () => {
    const { issued } = tokens();
    const token = issue(issued);
    assert.ok(!JSON.stringify(issued).includes(token));
  });
});

describe('the tokens of a zone', () => {
  it('are bounded, and do not take those of another one', () => {
    const { clock, issued } = tokens();
    for (let n = 0; n < MOST_TOKENS; n++) issue(issued);
    assert.equal(issued.issue('east', CALLER, LEDGER), undefined);
    issue(issued, 'north');
    assert.equal(issued.size, MOST_TOKENS + 1);
    clock.now += TOKEN_LIFE;
    issue(issued);
    assert.equal(issued.size, 1);
  });

  it('are as many as were not used and have not ended, whatever happens', () => {
    const step = fc.constantFrom('east', 'north', 'use', 'misuse', 'wait');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { clock, issued } = tokens();
        let open: { token: string; until: number }[] = [];
        for (const one of steps) {
          if (one === 'wait') clock.now += TOKEN_LIFE / 3;
          else if (one === 'east' || one === 'north') {
            open = open.filter(({ until }) => until > clock.now);
            open.push({ token: issue(issued, one), until: clock.now + TOKEN_LIFE });
          } else {
            const used = open.pop();
            if (!used) continue;
            const expected = used.until <= clock.now ? 'late' : one === 'use' ? 'consumed' : 'other-use';
            assert.equal(issued.consume(used.token, one === 'use' ? CALLER : 'spiffe://td/x', LEDGER).outcome, expected);
          }
          assert.equal(issued.size, open.length);
        }
      }),
    );
  });
});
