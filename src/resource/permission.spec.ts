import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeridianError } from '../errors.ts';
import { type MtpOrBroken, mtpOf, readMtp } from './permission.ts';
import type { JsonObject } from './resource.ts';
import { validateDraft } from './documents/validate-draft.ts';

const a = { type: 'Exact', value: 'spiffe://td/a' } as const;
const b = { type: 'Prefix', value: 'spiffe://td/b' } as const;
const path = { type: 'Prefix', value: '/metrics' } as const;
const nothing = { deny: [], allow: [], allowWithShadowDeny: [] };

const READ: readonly [name: string, spec: JsonObject, expected: unknown][] = [
  ['an empty spec', { targetRef: {} }, { shape: 'none' }],
  ['lists at the top', { default: { deny: [{ spiffeId: a }] } }, { shape: 'spiffe', ...nothing, deny: [{ spiffeId: a }] }],
  [
    'lists beside a list that is empty',
    { default: { deny: [], allow: [{ spiffeId: a }] }, from: [], rules: [] },
    { shape: 'spiffe', ...nothing, allow: [{ spiffeId: a }] },
  ],
  [
    'rules beside an empty `from`',
    { from: [], rules: [{ default: { deny: [{ spiffeId: a }] } }] },
    { shape: 'spiffe', ...nothing, deny: [{ spiffeId: a }] },
  ],
  [
    'items beside what says nothing',
    { default: {}, rules: [], from: [{ default: { action: 'Deny' } }] },
    { shape: 'from', items: [{ targetRef: { kind: 'Mesh' }, action: 'Deny' }] },
  ],
  [
    'rules, concatenated, in one spelling',
    {
      rules: [
        { default: { deny: [{ spiffeID: a }], allow: [] } },
        {},
        { default: { deny: [{ spiffeId: b, path, method: 'GET' }], allowWithShadowDeny: [{ method: 'PUT' }] } },
      ],
    },
    {
      shape: 'spiffe',
      ...nothing,
      deny: [{ spiffeId: a }, { spiffeId: b, path, method: 'GET' }],
      allowWithShadowDeny: [{ method: 'PUT' }],
    },
  ],
  [
    'items, with absent references and without actions',
    {
      from: [
        { targetRef: { kind: 'MeshService', name: 'web', mesh: 'm' }, default: { action: 'ALLOW_WITH_SHADOW_DENY' } },
        { targetRef: {}, default: { action: 'Allow' } },
        { default: { action: 'DENY' } },
        { targetRef: { kind: 'Mesh' } },
        { default: {} },
      ],
    },
    {
      shape: 'from',
      items: [
        { targetRef: { kind: 'MeshService', name: 'web', mesh: 'm' }, action: 'AllowWithShadowDeny' },
        { targetRef: { kind: 'Mesh' }, action: 'Allow' },
        { targetRef: { kind: 'Mesh' }, action: 'Deny' },
      ],
    },
  ],
];

test('reads each shape', async (t) => {
  for (const [name, spec, expected] of READ) await t.test(name, () => assert.deepEqual(readMtp(spec), expected));
});

test('reads both spellings of each action', () => {
  const read = [
    'Allow',
    'ALLOW',
    'Deny',
    'DENY',
    'AllowWithShadowDeny',
    'ALLOW_WITH_SHADOW_DENY',
    'DenyWithShadowAllow',
    'DENY_WITH_SHADOW_ALLOW',
  ].map((action) => {
    const mtp = readMtp({ from: [{ default: { action } }] });
    return mtp.shape === 'from' ? mtp.items[0]?.action : undefined;
  });
  const [allow, deny, shadowDeny, shadowAllow] = ['Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow'];
  assert.deepEqual(read, [allow, allow, deny, deny, shadowDeny, shadowDeny, shadowAllow, shadowAllow]);
});

const matcher = (value: JsonObject): JsonObject => ({ default: { allow: [value] } });

const REFUSED: readonly [spec: JsonObject, field: string][] = [
  [matcher({}), 'spec.default.allow[0]'],
  [matcher({ spiffeId: a, spiffeID: a }), 'spec.default.allow[0].spiffeID'],
  [matcher({ spiffeid: a }), 'spec.default.allow[0].spiffeid'],
  [matcher({ spiffeId: { type: 'Exact' } }), 'spec.default.allow[0].spiffeId.value'],
  [matcher({ spiffeId: { type: 'exact', value: 'spiffe://td' } }), 'spec.default.allow[0].spiffeId.type'],
  [matcher({ spiffeId: { type: 'RegularExpression', value: 'spiffe://td' } }), 'spec.default.allow[0].spiffeId.type'],
  [matcher({ spiffeId: { ...a, invert: true } }), 'spec.default.allow[0].spiffeId.invert'],
  [matcher({ spiffeId: { type: 'Exact', value: 'spiffe://td/' } }), 'spec.default.allow[0].spiffeId.value'],
  [matcher({ path: { type: 'Exact', value: 'x' } }), 'spec.default.allow[0].path.value'],
  [matcher({ method: 'get' }), 'spec.default.allow[0].method'],
  [matcher({ method: 'ANY' }), 'spec.default.allow[0].method'],
  [{ default: { Allow: [] } }, 'spec.default.Allow'],
  [{ default: { action: 'Allow' } }, 'spec.default.action'],
  [{ default: { deny: {} } }, 'spec.default.deny'],
  [{ default: { deny: [{ spiffeId: a }] }, rules: [{ default: { deny: [{ spiffeId: b }] } }] }, 'spec.rules'],
  [{ rules: [{ default: { deny: [{ spiffeId: b }] } }], from: [{ default: { action: 'Deny' } }] }, 'spec.from'],
  [{ default: { allow: [{ spiffeId: b }] }, from: [{ default: { action: 'Deny' } }] }, 'spec.from'],
  [{ default: { allow: null } }, 'spec.default.allow'],
  [{ rules: null }, 'spec.rules'],
  [{ rules: [{ matches: [] }] }, 'spec.rules[0].matches'],
  [{ from: [{ default: { action: 'allow' } }] }, 'spec.from[0].default.action'],
  [{ from: [{ default: { action: 'toString' } }] }, 'spec.from[0].default.action'],
  [{ from: [{ action: 'Allow' }] }, 'spec.from[0].action'],
  [{ from: [{ targetRef: { kind: 'Dataplane' }, default: { action: 'Deny' } }] }, 'spec.from[0].targetRef.kind'],
  [{ to: [] }, 'spec.to'],
];

test('refuses what it can not be sure of, in validation and in reading alike', () => {
  for (const [spec, field] of REFUSED) {
    const draft = { type: 'MeshTrafficPermission', mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec };
    assert.equal(validateDraft(draft)[0]?.field, field, JSON.stringify(spec));
    assert.throws(
      () => readMtp(spec),
      (thrown) => thrown instanceof MeridianError && thrown.code === 'invalid',
    );
  }
});

/**
 * Each with the fields that say nothing. What is stored from before these were refused is read as what it says, if
 * anything.
 */
const SILENT: readonly [spec: JsonObject, fields: readonly string[], read: MtpOrBroken['shape']][] = [
  [{}, ['spec'], 'none'],
  [{ targetRef: { kind: 'Mesh' } }, ['spec'], 'none'],
  [{ default: {} }, ['spec.default'], 'none'],
  [{ default: { deny: [] } }, ['spec.default'], 'none'],
  [{ default: { allow: [] } }, ['spec.default'], 'none'],
  [{ default: { deny: [], allow: [], allowWithShadowDeny: [] } }, ['spec.default'], 'none'],
  [{ rules: [] }, ['spec.rules'], 'none'],
  [{ rules: [{}] }, ['spec.rules[0]'], 'none'],
  [{ rules: [{ default: {} }] }, ['spec.rules[0]'], 'none'],
  [{ rules: [{ default: { deny: [] } }, { default: { allow: [] } }] }, ['spec.rules[0]', 'spec.rules[1]'], 'none'],
  [{ rules: [{ default: { allow: [{ spiffeId: a }] } }, { default: {} }] }, ['spec.rules[1]'], 'spiffe'],
  [{ rules: [{}, { default: { deny: [{ spiffeId: a }], allow: [] } }] }, ['spec.rules[0]'], 'spiffe'],
  [{ from: [] }, ['spec.from'], 'none'],
  [{ from: [{}] }, ['spec.from[0].default.action'], 'none'],
  [{ from: [{ targetRef: { kind: 'Mesh' } }, { default: {} }] }, ['spec.from[0].default.action', 'spec.from[1].default.action'], 'none'],
  [{ from: [{ default: { action: 'Deny' } }, { default: {} }] }, ['spec.from[1].default.action'], 'from'],
  [{ default: {}, rules: [], from: [] }, ['spec.default', 'spec.rules', 'spec.from'], 'none'],
  [{ from: [], rules: [{}] }, ['spec.rules[0]'], 'none'],
];

test('refuses a permission that says nothing, and takes a stored one for nothing', () => {
  for (const [spec, expected, shape] of SILENT) {
    const draft = { type: 'MeshTrafficPermission', mesh: 'default', name: 'a', namespace: undefined, labels: {}, spec };
    const problems = validateDraft(draft);
    assert.deepEqual(
      problems.map(({ field }) => field),
      expected,
      JSON.stringify(spec),
    );
    for (const { reason } of problems) assert.match(reason, /says nothing/);
    assert.equal(mtpOf(spec).shape, shape, JSON.stringify(spec));
  }
});
