import fc from 'fast-check';
import type { CallerVerdict } from '../../src/policy/callers/caller-verdicts.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Matcher, Mtp } from '../../src/resource/permission.ts';
import { MATCH_TYPES, type MatchType, type StringMatch } from '../../src/resource/string-match.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import type { FromKind, TargetRef } from '../../src/resource/schema/reference-kinds.ts';
import type { Permission } from '../../src/policy/decide/read-permissions.ts';
import { readMatches } from '../../src/resource/route-match.ts';
import type { ViaRoute } from '../../src/policy/match/route-selection.ts';
import type { Wire } from './rbac-interpreter.ts';

/** Permissions and requests of a small world, so that they meet: for specs. */

const TEXTS = ['', '/', '/a', '/a/', '/a/b', '/ab', '/web', '/web/x'];
const IDS = ['default', 'default.evil', 'other'].flatMap((domain) => TEXTS.map((text) => `spiffe://${domain}${text}`));

/** What matches of each type may say. */
const IDS_OF: Readonly<Record<MatchType, readonly string[]>> = { Exact: IDS.filter((id) => !id.endsWith('/')), Prefix: IDS };

const spiffeId: fc.Arbitrary<StringMatch> = fc.oneof(
  ...MATCH_TYPES.map((type) => fc.constantFrom(...IDS_OF[type]).map((value): StringMatch => ({ type, value }))),
);

const path: fc.Arbitrary<StringMatch> = fc.record({
  type: fc.constantFrom(...MATCH_TYPES),
  value: fc.constantFrom('/', '/v2', '/v2/', '/v2/x', '/admin', '/v2/a!b', '/v2/%2A'),
});
const method = fc.constantFrom('GET', 'POST');

const matcher: fc.Arbitrary<Matcher> = fc.oneof(
  { weight: 3, arbitrary: spiffeId.map((id): Matcher => ({ spiffeId: id })) },
  fc.record({ spiffeId, path }),
  fc.record({ spiffeId, method }),
  fc.record({ spiffeId, method, path }),
  fc.record({ path }),
  fc.record({ method }),
);

const list = fc.array(matcher, { maxLength: 3 });
const spiffe: fc.Arbitrary<Mtp> = fc.record({ shape: fc.constant('spiffe' as const), deny: list, allow: list, allowWithShadowDeny: list });

const source: fc.Arbitrary<TargetRef<FromKind>> = fc.constantFrom<TargetRef<FromKind>>(
  { kind: 'Mesh' },
  { kind: 'Mesh', mesh: 'other' },
  { kind: 'MeshSubset', tags: {} },
  { kind: 'MeshSubset', tags: { env: 'dev' } },
  { kind: 'MeshSubset', tags: { env: 'dev', 'kuma.io/zone': 'east' } },
  { kind: 'MeshSubset', tags: { 'kuma.io/service': 'web' } },
  { kind: 'MeshSubset', tags: { env: 'dev' }, mesh: 'other' },
  { kind: 'MeshService', name: 'web' },
  { kind: 'MeshService', name: 'a', mesh: 'other' },
  { kind: 'MeshServiceSubset', name: 'web', tags: { env: 'dev' } },
);
const action = fc.constantFrom('Allow', 'Deny', 'AllowWithShadowDeny', 'DenyWithShadowAllow');
const from: fc.Arbitrary<Mtp> = fc.record({
  shape: fc.constant('from' as const),
  items: fc.array(fc.record({ targetRef: source, action }), { maxLength: 5 }),
});

const routeMatch: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  {},
  { path: { type: 'PathPrefix', value: '/v2' } },
  { path: { type: 'PathPrefix', value: '/v2/' }, method: 'GET' },
  { path: { type: 'PathPrefix', value: '/' } },
  { path: { type: 'PathPrefix', value: '/v2/x' }, method: 'POST' },
  { path: { type: 'Exact', value: '/v2' } },
  { path: { type: 'Exact', value: '/admin' } },
  { path: { type: 'PathPrefix', value: '/v2/a!b' } },
  { path: { type: 'Exact', value: '/v2/a%21b' }, method: 'GET' },
  { path: { type: 'PathPrefix', value: '/v2/%2a' } },
  { path: { type: 'PathPrefix', value: '/v2//' } },
  { path: { type: 'Exact', value: '/v2?x' } },
  { path: { type: 'PathPrefix', value: 'v2' } },
  { path: { type: 'RegularExpression', value: '/v[0-9]' } },
  { path: { type: 'PathPrefix', value: '/v2' }, headers: [{ name: 'x', value: 'y' }] },
  { method: 'GET' },
);
const via: fc.Arbitrary<ViaRoute> = fc.record({
  route: fc.constant<Key>({ type: 'MeshHTTPRoute', mesh: 'default', zone: '', namespace: '', name: 'r' }),
  matches: fc.array(routeMatch, { minLength: 1, maxLength: 2 }).map(readMatches),
  certain: fc.boolean(),
});
const vias = fc.option(fc.array(via, { minLength: 1, maxLength: 2 }), { nil: undefined, freq: 2 });

const key = (name: string): Key => ({ type: 'MeshTrafficPermission', mesh: 'default', zone: '', namespace: '', name });

export type SampleShape = 'spiffe' | 'from' | 'mixed';

const broken = fc.constant({ shape: 'broken' as const });
const none: fc.Arbitrary<Mtp> = fc.constant({ shape: 'none' });
const SHAPES = {
  spiffe: fc.oneof({ weight: 8, arbitrary: spiffe }, none),
  from: fc.oneof({ weight: 8, arbitrary: from }, none),
  mixed: fc.oneof({ weight: 6, arbitrary: from }, { weight: 6, arbitrary: spiffe }, none, broken),
};

/** Permissions of an inbound, in order. `routed`: some only through routes. */
export function permissions(shape: SampleShape, routed: boolean): fc.Arbitrary<Permission[]> {
  const one = fc.record({ mtp: SHAPES[shape], via: routed ? vias : fc.constant(undefined) });
  return fc.array(one, { maxLength: 5 }).map((given) => given.map((rest, index) => ({ key: key(`p${index}`), ...rest })));
}

const SANS = [
  ...IDS.filter((id) => !id.endsWith('/')),
  'spiffe://default/a/b/c',
  'spiffe://default/web/y',
  'kuma://env/dev',
  'kuma://kuma.io/zone/east',
  'kuma://env/devel',
];

/** The URI SANs of a client's certificate. */
export const sansOfClients: fc.Arbitrary<string[]> = fc.oneof(
  fc.constantFrom(...SANS).map((san) => [san]),
  fc.uniqueArray(fc.constantFrom(...SANS), { maxLength: 4 }),
  fc.uniqueArray(fc.constantFrom('spiffe://default/web', 'kuma://env/dev', 'kuma://kuma.io/zone/east', 'spiffe://other/a'), {
    maxLength: 4,
  }),
);

const PATHS = [
  '/',
  '/?/v2',
  '/v2',
  '/v2/',
  '/v2?x',
  '/v2#x',
  '/v2/x',
  '/v2/x/y?z',
  '/v22',
  '/v2x',
  '/admin',
  '/admin/x',
  '/v',
  '/x/v2',
  '/v2/a!b',
  '/v2/a%21b',
  '/v2/a%21b/x?y',
  '/v2/a%21',
  '/v2/%2A',
  '/v2/%2a/x',
  '/v2/*',
];

export const wire: fc.Arbitrary<Wire> = fc.record({
  sans: sansOfClients,
  method: fc.constantFrom('GET', 'POST', 'PUT'),
  path: fc.constantFrom(...PATHS),
});

const accessKey = (type: string, name: string): Key => ({ type, mesh: 'default', zone: 'east', namespace: '', name });
const verdict: fc.Arbitrary<CallerVerdict> = fc
  .record({ allowed: fc.constantFrom(true, true, true, false), privileged: fc.boolean(), name: fc.constantFrom('a', 'b', 'c', undefined) })
  .map(({ allowed, privileged, name }) =>
    name === undefined
      ? { allowed: false, privileged: false, decidedBy: undefined, mixed: false }
      : { allowed, privileged, decidedBy: accessKey(privileged ? 'PrivilegedAccessPolicy' : 'AccessPolicy', name), mixed: false },
  );

/** What access policies decide about the callers that are known at an inbound. */
export const callerVerdictMap: fc.Arbitrary<ReadonlyMap<string, CallerVerdict>> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...SANS.filter((san) => san.startsWith('spiffe://'))), verdict), {
    selector: ([id]) => id,
    minLength: 8,
  })
  .map((given) => new Map(given));
