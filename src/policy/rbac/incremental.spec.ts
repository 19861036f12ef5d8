import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Permission } from '../decide/read-permissions.ts';
import { InboundRbac, type CompileTarget } from './compile-rbac.ts';
import { permissions } from '../../../test/harness/rbac-samples.ts';

/** A copy with other objects in it, as one that is read again has; `mtp` stays the same object. */
function reread(permission: Permission): Permission {
  return { ...permission, key: { ...permission.key } };
}

/** The same permission, where the route that it targets has changed hands. */
function turned(permission: Permission): Permission {
  return { ...permission, via: permission.via?.map((one) => ({ ...one, certain: !one.certain })) };
}

/** Takes some of what there was and some that is new, in any order. */
const change = fc.record({
  added: permissions('mixed', true),
  start: fc.nat({ max: 6 }),
  drop: fc.nat({ max: 3 }),
  swap: fc.boolean(),
  turn: fc.boolean(),
});

describe('compiling again', () => {
  for (const protocol of ['http', 'tcp'] as const) {
    it(`gives what compiling from nothing gives, on ${protocol}`, () =>
      fc.assert(
        fc.property(permissions('mixed', true), fc.array(change, { minLength: 1, maxLength: 6 }), (first, changes) => {
          const target: CompileTarget = { protocol, form: 'trees', statPrefix: 'x.' };
          const kept = new InboundRbac(target);
          let now = first;
          assert.deepEqual(kept.compile(now), new InboundRbac(target).compile(now));
          for (const { added, start, drop, swap, turn } of changes) {
            now = now.map(turn ? turned : reread).toSpliced(start, drop, ...added);
            if (swap) now.reverse();
            // Keys are unique in an inbound.
            now = [...new Map(now.map((permission) => [permission.key.name, permission])).values()];
            assert.deepEqual(kept.compile(now), new InboundRbac(target).compile(now));
          }
        }),
        { numRuns: 200 },
      ));
  }

  it('writes only the entries that a change touches', () => {
    const rule = (name: string, value: string): Permission => ({
      key: { type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name },
      mtp: { shape: 'spiffe', deny: [{ spiffeId: { type: 'Exact', value } }], allow: [], allowWithShadowDeny: [] },
      via: undefined,
    });
    const kept = new InboundRbac({ protocol: 'tcp', form: 'trees', statPrefix: 'x.' });
    const entries = (given: readonly Permission[]) => {
      const { matcher } = kept.compile(given).filter as { matcher: { matcherTree: { exactMatchMap: { map: Record<string, unknown> } } } };
      return { ...matcher.matcherTree.exactMatchMap.map };
    };
    const [a, b, c] = [rule('a', 'spiffe://td/a'), rule('b', 'spiffe://td/b'), rule('c', 'spiffe://td/c')];
    const before = entries([a, b, c]);
    const after = entries([a, rule('b', 'spiffe://td/d'), c].map(reread));
    assert.deepEqual(Object.keys(after).sort(), ['spiffe://td/a', 'spiffe://td/c', 'spiffe://td/d']);
    for (const id of ['spiffe://td/a', 'spiffe://td/c']) assert.equal(after[id], before[id], id);
  });
});
