import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import { atOnce } from '../../resource/store/parts.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import { NAMES, run, step } from '../../../test/harness/random-commits.ts';
import { EAST, newGlobal, newZone, service } from '../../../test/harness/control-planes.ts';
import { Enforcement } from './enforcement.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

it('the rules of proxies after any commits are those that working all out again gives', () => {
  let served = 0;
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 4 }), { minLength: 4, maxLength: 12 }), fc.nat(), (turns, skip) => {
      const unwatched = newZone(EAST, newGlobal(EAST));
      const { plane } = watchCommits(unwatched, () => {});
      const kept = new Enforcement(plane, true);
      for (const [turn, steps] of turns.entries()) {
        for (const one of steps) run(one, plane, unwatched);
        const again = new Enforcement(unwatched, true);
        if ((turn + skip) % 2 === 0) atOnce(kept.prepare('default'));
        for (const [index, name] of NAMES.entries()) {
          // A proxy that is not there for a while.
          if (index === 0 && (turn + skip) % 3 === 0) continue;
          const rules = kept.rulesOf('default', `${name}.app`);
          assert.deepEqual(rules, again.rulesOf('default', `${name}.app`));
          assert.equal(kept.rulesOf('default', `${name}.app`), rules);
          served += rules?.inbounds.length ?? 0;
        }
      }
    }),
    { numRuns: 25 },
  );
  assert.ok(served > 80, `only ${served} inbounds`);
});

const dataplane: Draft = {
  ...service('a'),
  type: 'Dataplane',
  spec: { networking: { address: '127.0.0.1', inbound: [{ port: 8080, tags: { 'kuma.io/service': 'x', 'kuma.io/protocol': 'http' } }] } },
};
const selecting = (tag: string): Draft => ({
  ...service('s'),
  spec: { ports: [{ port: 80, targetPort: 8080 }], selector: { dataplaneTags: { 'kuma.io/service': tag } } },
});
const permission = (targetRef: JsonObject): Draft => ({
  ...service('p'),
  type: 'MeshTrafficPermission',
  spec: { targetRef, rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value: 'spiffe://td/web' } }] } }] },
});
const route = (to: string): Draft => {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: '/x' } }], default: {} }];
  return { ...service('r'), type: 'MeshHTTPRoute', spec: { to: [{ targetRef: { kind: 'MeshService', name: to }, rules }] } };
};

for (const [what, targetRef, away, back] of [
  ['a service', { kind: 'MeshService', name: 's' }, selecting('y'), selecting('x')],
  ['a route', { kind: 'MeshHTTPRoute', name: 'r' }, route('y'), route('x')],
] as const) {
  it(`${what} that leads to a proxy takes its permissions along, and away`, () => {
    const { plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {});
    const enforcement = new Enforcement(plane, true);
    const allows = () => JSON.stringify(enforcement.rulesOf('default', 'a.app')).includes('spiffe://td/web');
    writeDrafts(plane, [dataplane, permission(targetRef), back]);
    for (const [draft, expected] of [
      [back, true],
      [away, false],
      [back, true],
    ] as const) {
      writeDrafts(plane, [draft]);
      assert.equal(allows(), expected);
    }
  });
}
