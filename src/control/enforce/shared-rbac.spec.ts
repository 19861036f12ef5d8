import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import { watchCommits } from '../plane/watch-commits.ts';
import type { Plane } from '../plane/plane.ts';
import { EAST, draftInApp as draft, newGlobal, newZone } from '../../../test/harness/control-planes.ts';
import { Enforcement } from './enforcement.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';

const PROXIES = 50;

let plane: Plane;
let enforcement: Enforcement;

const dataplane = (index: number, protocol = 'http'): Draft =>
  draft('Dataplane', `dp-${index}`, {
    networking: {
      address: `127.0.0.${index + 1}`,
      inbound: [{ name: 'web', port: 8080, tags: { 'kuma.io/service': 'web', 'kuma.io/protocol': protocol } }],
    },
  });
const allow = (name: string, who: string, targetRef: JsonObject = { kind: 'Mesh' }): Draft =>
  draft('MeshTrafficPermission', name, {
    targetRef,
    rules: [{ default: { allow: [{ spiffeId: { type: 'Exact', value: `spiffe://td/${who}` } }] } }],
  });
const rbacOf = (index: number): JsonObject => {
  const rules = enforcement.rulesOf('default', `dp-${index}.app`)?.inbounds[0]?.rbac;
  assert.ok(rules);
  return rules;
};
/** How many RBACs the proxies have between them. */
const compiled = (): number => new Set(Array.from({ length: PROXIES }, (_, index) => rbacOf(index))).size;

beforeEach(() => {
  ({ plane } = watchCommits(newZone(EAST, newGlobal(EAST)), () => {}));
  enforcement = new Enforcement(plane, true);
  writeDrafts(
    plane,
    Array.from({ length: PROXIES }, (_, index) => dataplane(index)),
  );
});

test('what decides all proxies alike is compiled once, also after a change, and for one that comes later', () => {
  writeDrafts(
    plane,
    Array.from({ length: 100 }, (_, index) => allow(`p-${index}`, `a-${index}`)),
  );
  assert.equal(compiled(), 1);
  writeDrafts(plane, [allow('p-7', 'b')]);
  assert.equal(compiled(), 1);
  writeDrafts(plane, [dataplane(3)]);
  assert.equal(compiled(), 1);
  writeDrafts(plane, [allow('p-8', 'b'), dataplane(PROXIES)]);
  assert.equal(rbacOf(PROXIES), rbacOf(0));
});

test('a proxy that is decided in another way has its own, and comes back to that of the others', () => {
  writeDrafts(plane, [allow('p', 'a')]);
  const others = rbacOf(1);
  writeDrafts(plane, [allow('own', 'b', { kind: 'Dataplane', name: 'dp-0' })]);
  assert.equal(compiled(), 2);
  assert.equal(rbacOf(1), others, 'nothing changed for them');
  writeDrafts(plane, [allow('own', 'b')]);
  assert.equal(compiled(), 1);
});

test('those behind one route share what is compiled for it', () => {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: '/x' } }], default: {} }];
  writeDrafts(plane, [
    draft('MeshHTTPRoute', 'r', { to: [{ targetRef: { kind: 'MeshService', name: 'web' }, rules }] }),
    allow('p', 'a', { kind: 'MeshHTTPRoute', name: 'r' }),
  ]);
  assert.match(JSON.stringify(rbacOf(0)), /spiffe:\/\/td\/a/);
  assert.equal(compiled(), 1);
});

test('what was given out stays as it is when others change', () => {
  writeDrafts(plane, [allow('p', 'a'), allow('q', 'b')]);
  const before = rbacOf(0);
  const text = JSON.stringify(before);
  writeDrafts(plane, [allow('p', 'c')]);
  assert.notEqual(JSON.stringify(rbacOf(0)), text);
  assert.equal(JSON.stringify(before), text);
});
