import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hashedName } from '../../naming/hash-name.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { decideBy } from '../decide/decide-request.ts';
import { readPermissions } from '../decide/read-permissions.ts';
import { dataplane, fromList, permission, prefix, resource } from '../../../test/harness/policies.ts';
import { indexMesh, type LostResource } from './mesh-index.ts';
import { readPolicies } from './read-policies.ts';
import { readProxy } from './read-proxy.ts';
import { matchInbound } from './select-policies.ts';

const DENY = { default: { deny: [prefix('spiffe://default')] } };
const ALLOW = { default: { allow: [prefix('spiffe://default')] } };
const BROKEN = { default: 'refused' };
const WEB = { kind: 'MeshService', name: 'web' };
const BY_NAME = { kind: 'MeshHTTPRoute', name: 'r' };
const BY_LABELS = { kind: 'MeshHTTPRoute', labels: { team: 'a' } };
const HASHED = hashedName({ mesh: 'default', name: 'r', zone: 'east', namespace: '' });

const refused = (type: string, name: string, from = '', labels = {}, labelled = true): LostResource => ({
  resource: { ...resource(type, name, type.endsWith('Route') ? { to: [] } : {}, from, labels), spec: {} },
  labelled,
});
const ROUTE = refused('MeshHTTPRoute', 'r', '', { team: 'a' });
const leadingTo = (backend: JsonObject, from = ''): Resource => {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value: '/admin' } }], default: { backendRefs: [backend] } }];
  return resource('MeshHTTPRoute', 'r', { to: [{ targetRef: { kind: 'MeshService', name: 'front' }, rules }] }, from, { team: 'a' });
};
const HERE = leadingTo({ kind: 'MeshService', name: 'front' });

interface LostCase {
  readonly what: string;
  readonly spec?: JsonObject;
  readonly targetRef?: JsonObject;
  readonly from?: string;
  readonly lost?: readonly LostResource[];
  readonly others?: readonly Resource[];
  readonly target?: Parameters<typeof dataplane>[0];
}

/** What a caller of the mesh may do at /admin and at /, where another permission allows it everything. */
function decided({ spec = DENY, targetRef = BY_NAME, from = '', lost = [], others = [], target = {} }: LostCase): string {
  const asked = dataplane({ tags: { 'kuma.io/service': 'backend' }, ...target });
  const mesh = indexMesh([...others, asked], undefined, lost);
  const proxy = readProxy(asked, mesh);
  const [inbound] = proxy.inbounds;
  assert.ok(inbound);
  const made = { ...permission('p', { targetRef, ...DENY }, from), spec: { targetRef, ...spec } };
  const permissions = readPermissions(matchInbound(readPolicies([permission('q', ALLOW), made]), proxy, inbound, mesh));
  const at = (path: string) =>
    decideBy({ permissions, callers: undefined }, { spiffeIds: ['spiffe://default/web'], method: 'GET', path }, inbound.protocol, 'default')
      .decision;
  return `${at('/admin')} ${at('/')}`;
}

const EXPECTED: Readonly<Record<string, readonly LostCase[]>> = {
  'Deny Deny': [
    { what: 'a refused route, by name', lost: [ROUTE] },
    { what: 'a refused route, by labels', lost: [ROUTE], targetRef: BY_LABELS },
    { what: 'a refused route whose labels can’t be read', lost: [refused('MeshHTTPRoute', 'x', '', {}, false)], targetRef: BY_LABELS },
    {
      what: 'a refused route beside one that is here',
      lost: [ROUTE],
      others: [leadingTo({ kind: 'MeshService', name: 'x' }, 'west')],
      targetRef: BY_LABELS,
    },
    { what: 'a refused TCP route', lost: [refused('MeshTCPRoute', 'r')], targetRef: { kind: 'MeshTCPRoute', name: 'r' } },
    { what: 'a refused route on a gateway', lost: [ROUTE], targetRef: { kind: 'MeshGatewayRoute', name: 'r' } },
    {
      what: 'a refused route of the tenant’s own',
      lost: [refused('MeshHTTPRoute', 'r', 'east/ns')],
      from: 'east/ns',
      target: { from: 'east/ns' },
    },
    { what: 'a copy that was refused', lost: [refused('MeshHTTPRoute', 'r', 'east')], targetRef: { ...BY_NAME, name: HASHED } },
    { what: 'a refused permission on a refused route', lost: [ROUTE], spec: BROKEN },
    { what: 'a `from` that denies on a refused route', lost: [ROUTE], spec: fromList([WEB, 'DENY']) },
    { what: 'a route that is not here' },
    { what: 'a route that is not here, of TCP', targetRef: { kind: 'MeshTCPRoute', name: 'r' }, others: [HERE] },
    { what: 'a route that is in another mesh', others: [resource('MeshHTTPRoute', 'r', { to: [] }, '', {}, 'other')] },
    { what: 'a refused permission on a route that is not here', spec: BROKEN },
    { what: 'a `from` that denies on a route that is not here', spec: fromList([WEB, 'DENY_WITH_SHADOW_ALLOW']) },
    {
      what: 'a refused service at global',
      lost: [refused('MeshService', 's', 'east')],
      targetRef: { kind: 'MeshService', name: 's' },
      from: 'east',
    },
  ],
  'Deny Allow': [
    {
      what: 'a route to a refused service of many zones',
      others: [leadingTo({ kind: 'MeshMultiZoneService', name: 'm' })],
      lost: [refused('MeshMultiZoneService', 'm')],
    },
    {
      what: 'a route to one of these by labels',
      others: [leadingTo({ kind: 'MeshMultiZoneService', labels: { team: 'b' } })],
      lost: [refused('MeshMultiZoneService', 'm', '', { team: 'b' })],
    },
  ],
  'Allow Allow': [
    { what: 'a route that leads elsewhere', others: [HERE] },
    { what: 'another route that was refused', others: [HERE], lost: [refused('MeshHTTPRoute', 'x')] },
    { what: 'a refused route without the labels', lost: [ROUTE], targetRef: { kind: 'MeshHTTPRoute', labels: { team: 'b' } } },
    {
      what: 'a refused route of a stranger, by labels',
      lost: [refused('MeshHTTPRoute', 'r', 'west/ns', { team: 'a' })],
      targetRef: BY_LABELS,
    },
    { what: 'a tenant’s permission, for others', lost: [refused('MeshHTTPRoute', 'r', 'east/ns')], from: 'east/ns' },
    { what: 'labels that no route has', targetRef: BY_LABELS },
    { what: 'a copy that is not here', targetRef: { ...BY_NAME, name: HASHED } },
    { what: 'a shadow permission', lost: [ROUTE], spec: { default: { allowWithShadowDeny: [prefix('spiffe://default')] } } },
    {
      what: 'a route to another service than the refused one',
      others: [leadingTo({ kind: 'MeshMultiZoneService', name: 'x' })],
      lost: [refused('MeshMultiZoneService', 'm')],
    },
    {
      what: 'a refused service of another zone',
      lost: [refused('MeshService', 's', 'west')],
      targetRef: { kind: 'MeshService', name: 's' },
      from: 'west',
    },
  ],
};

describe('a deny that hangs on what is not here counts for all that this may be', () => {
  for (const [expected, cases] of Object.entries(EXPECTED))
    for (const one of cases) it(`${one.what}: ${expected}`, () => assert.equal(decided(one), expected));

  it('and an allow for nothing: without denies, a route that isn’t here selects nothing, as with Kuma', () => {
    const target = dataplane();
    for (const [lost, expected] of [
      [[], 0],
      [[ROUTE], 1],
    ] as const) {
      const mesh = indexMesh([target], undefined, lost);
      const proxy = readProxy(target, mesh);
      const [inbound] = proxy.inbounds;
      assert.ok(inbound);
      const policies = readPolicies([permission('p', { targetRef: BY_NAME, ...ALLOW })]);
      const permissions = readPermissions(matchInbound(policies, proxy, inbound, mesh));
      assert.equal(permissions.length, expected);
      const asked = { spiffeIds: ['spiffe://default/web'], method: 'GET', path: '/admin' };
      assert.equal(decideBy({ permissions, callers: undefined }, asked, 'http', 'default').decision, 'Deny');
    }
  });

  it('while the route was not known, `from` opens nothing that its lists would have closed', () => {
    const open = { ...permission('q', ALLOW), spec: fromList([{}, 'ALLOW']) };
    const target = dataplane();
    const mesh = indexMesh([target], undefined, [ROUTE]);
    const proxy = readProxy(target, mesh);
    const [inbound] = proxy.inbounds;
    assert.ok(inbound);
    const policies = readPolicies([open, permission('p', { targetRef: BY_NAME, ...ALLOW })]);
    const permissions = readPermissions(matchInbound(policies, proxy, inbound, mesh));
    assert.equal(
      decideBy({ permissions, callers: undefined }, { spiffeIds: ['spiffe://default/web'] }, 'http', 'default').decision,
      'Deny',
    );
  });
});
