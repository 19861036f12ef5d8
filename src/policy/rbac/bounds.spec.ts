import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../resource/resource.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { InboundRbac } from './compile-rbac.ts';
import { decideByRbac } from '../../../test/harness/rbac-interpreter.ts';

/** How many messages lie within each other: protobuf refuses more than 100. */
function depth(value: JsonValue | undefined): number {
  if (Array.isArray(value)) return Math.max(0, ...(value as readonly JsonValue[]).map(depth));
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, item) => Math.max(deepest, depth(item)), 0);
}

function named(name: string, mtp: Permission['mtp']): Permission {
  return { key: { type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name }, mtp, via: undefined };
}

/** Items of two tags, allow and deny in turn. */
function chain(length: number): Permission {
  const items = Array.from({ length }, (_, index) => ({
    targetRef: { kind: 'MeshSubset' as const, tags: { version: `v${index}`, env: `e${index % 5}` } },
    action: index % 2 === 0 ? ('Allow' as const) : ('Deny' as const),
  }));
  return named('chain', { shape: 'from', items });
}

const LISTS = named('lists', { shape: 'spiffe', deny: [], allow: [], allowWithShadowDeny: [] });

function compile(permissions: readonly Permission[]) {
  return new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: '' }).compile(permissions).filter;
}

describe('items in turn', () => {
  for (const [beside, others] of [
    ['alone', []],
    ['beside lists', [LISTS]],
  ] as const) {
    it(`70 of them ${beside} lie less than 50 deep, 7,000 less than 90`, () => {
      assert.ok(depth(compile([chain(70), ...others])) < 50);
      assert.ok(depth(compile([chain(7_000), ...others])) < 90);
    });

    it(`grow by little more than their number, ${beside}`, () => {
      const size = (length: number) => JSON.stringify(compile([chain(length), ...others])).length / length;
      assert.ok(size(700) < size(70) * 1.6);
      assert.ok(size(7_000) < size(700) * 1.6);
    });
  }

  it('let in by the last that means the client', () => {
    const filter = compile([chain(70)]);
    for (let index = 0; index < 70; index++) {
      const sans = [`kuma://env/e${index % 5}`, `kuma://version/v${index}`, 'spiffe://default/x'];
      assert.equal(decideByRbac(filter, 'enforced', { sans }).action, index % 2 === 0 ? 'Allow' : 'Deny');
    }
  });
});

describe('lists', () => {
  it('grow by their number, and not in depth', () => {
    const rules = (length: number) =>
      compile(
        Array.from({ length }, (_, index) => {
          const spiffeId = { type: 'Prefix' as const, value: `spiffe://td/ns/${index}` };
          return named(`p${index}`, {
            shape: 'spiffe',
            deny: [{ spiffeId }],
            allow: [{ spiffeId, method: 'GET' }],
            allowWithShadowDeny: [],
          });
        }),
      );
    const [few, many] = [rules(10), rules(1_000)];
    assert.equal(depth(many), depth(few));
    assert.ok(JSON.stringify(many).length < JSON.stringify(few).length * 105);
  });
});

describe('where there is nothing', () => {
  const nothing = { rules: { action: 'ALLOW', policies: {} } };
  const silent = named('silent', { shape: 'none' });
  const empty = named('empty', { shape: 'from', items: [] });
  for (const permissions of [[], [silent], [empty, silent]]) {
    it(`everything is denied, of ${permissions.length} permissions`, () => {
      const http = new InboundRbac({ protocol: 'http', form: 'trees', statPrefix: 'x.' }).compile(permissions);
      assert.deepEqual(http.filter, { '@type': 'type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC', ...nothing });
      assert.deepEqual(http.routes, []);
      const tcp = new InboundRbac({ protocol: 'tcp', form: 'trees', statPrefix: 'x.' }).compile(permissions);
      assert.deepEqual(tcp.filter, {
        '@type': 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC',
        statPrefix: 'x.',
        ...nothing,
      });
      assert.equal(decideByRbac(tcp.filter, 'enforced', { sans: ['spiffe://default/web'] }).action, 'Deny');
    });
  }
});
