import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../resource/resource.ts';
import { exact, fromList, permission, prefix, resource } from '../../../test/harness/policies.ts';
import { ask, TD, WEB } from '../../../test/harness/ask-decision.ts';

describe('any set of permissions', () => {
  const ids = [WEB, `${TD}/api`, 'spiffe://td/ns/a/sa/x'];
  const matcher = fc.oneof(
    fc.constantFrom<JsonObject>(
      ...ids.map(exact),
      prefix(TD),
      prefix('spiffe://td/ns'),
      { method: 'GET' },
      { method: 'GET', ...exact(WEB) },
    ),
    fc.constant<JsonObject>({ path: { type: 'Prefix', value: '/v2' } }),
  );
  const list = fc.array(matcher, { maxLength: 2 });
  const lists = fc
    .record({ deny: list, allow: list, allowWithShadowDeny: list })
    .filter((value) => Object.values(value).flat().length > 0)
    .map((value): JsonObject => ({ default: value }));
  const source = fc.constantFrom<JsonObject>(
    {},
    { kind: 'Mesh' },
    { kind: 'MeshService', name: 'web' },
    { kind: 'MeshSubset', tags: { env: 'dev' } },
    { kind: 'Mesh', mesh: 'other' },
  );
  const item = (actions: readonly string[]) => fc.tuple(source, fc.constantFrom(...actions));
  const from = (actions: readonly string[]) => fc.array(item(actions), { minLength: 1, maxLength: 3 }).map((items) => fromList(...items));
  const target = fc.constantFrom<JsonObject>(
    {},
    { kind: 'MeshSubset', tags: { app: 'backend' } },
    { kind: 'MeshService', name: 'backend' },
    { kind: 'Dataplane', name: 'backend-1' },
    { kind: 'MeshHTTPRoute', name: 'r' },
  );
  const made = (spec: fc.Arbitrary<JsonObject>) =>
    fc
      .tuple(fc.constantFrom('a', 'b', 'c', 'd'), spec, target, fc.constantFrom('', 'east'))
      .map(([name, body, targetRef, where]) => permission(name, { ...body, targetRef }, where));
  const any = made(fc.oneof(lists, from(['ALLOW', 'DENY', 'ALLOW_WITH_SHADOW_DENY', 'DENY_WITH_SHADOW_ALLOW'])));
  const denial = made(
    fc.oneof(
      fc.record({ deny: fc.array(matcher, { minLength: 1, maxLength: 2 }) }).map((value): JsonObject => ({ default: value })),
      from(['DENY', 'DENY_WITH_SHADOW_ALLOW']),
    ),
  );
  const sets = fc.uniqueArray(any, { selector: ({ key }) => `${key.zone}/${key.name}`, maxLength: 5 });
  const request = fc.record({
    spiffeIds: fc.constantFrom([WEB], [WEB, 'kuma://env/dev'], [`${TD}/api`], ['spiffe://td/ns/a/sa/x'], ['spiffe://other/web', WEB]),
    method: fc.constantFrom('GET', 'POST', undefined),
    path: fc.constantFrom('/', '/v2/x', undefined),
  });
  const protocol = fc.constantFrom('http', 'tcp');
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: '/v2' } }] }];
  const others = ['', 'east'].map((where) =>
    resource('MeshHTTPRoute', 'r', { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules }] }, where),
  );

  it('an added deny never opens anything, wherever it stands', () => {
    fc.assert(
      fc.property(sets, denial, request, protocol, (policies, added, asked, over) => {
        const more = { protocol: over, others, tags: { app: 'backend' } };
        const before = ask(policies, asked, more).decision;
        const rest = policies.filter(({ key }) => key.name !== added.key.name || key.zone !== added.key.zone);
        fc.pre(rest.length === policies.length);
        if (before === 'Deny') assert.equal(ask([...policies, added], asked, more).decision, 'Deny');
      }),
      { numRuns: 2000 },
    );
  });

  it('a tenant’s policy changes nothing outside', () => {
    fc.assert(
      fc.property(
        sets,
        fc.oneof(lists, from(['ALLOW', 'DENY'])),
        target,
        fc.constantFrom('east/ns', 'west/ns'),
        request,
        (policies, body, targetRef, where, asked) => {
          const more = { others, tags: { app: 'backend' } };
          const tenant = permission('tenant', { ...body, targetRef }, where);
          assert.deepEqual(ask([...policies, tenant], asked, more), ask(policies, asked, more));
        },
      ),
    );
  });

  it('does not depend on the order of arrival, and says the same twice', () => {
    fc.assert(
      fc.property(sets, request, protocol, (policies, asked, over) => {
        const more = { protocol: over, others, tags: { app: 'backend' } };
        assert.deepEqual(ask([...policies].reverse(), asked, more), ask(policies, asked, more));
      }),
    );
  });

  it('what nobody decided is denied', () => {
    fc.assert(
      fc.property(sets, request, protocol, (policies, asked, over) => {
        const decided = ask(policies, asked, { protocol: over, others, tags: { app: 'backend' } });
        if (!decided.decidedBy) assert.equal(decided.decision, 'Deny');
        if (!decided.shadowDecidedBy) assert.equal(decided.shadow, 'Deny');
      }),
    );
  });
});
