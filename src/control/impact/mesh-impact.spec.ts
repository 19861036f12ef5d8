import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decideBy } from '../../policy/decide/decide-request.ts';
import { readPermissions } from '../../policy/decide/read-permissions.ts';
import { dataplane, exact, fromList, permission, prefix, resource } from '../../../test/harness/policies.ts';
import { indexMesh } from '../../policy/match/mesh-index.ts';
import { readPolicies } from '../../policy/match/read-policies.ts';
import { readProxy } from '../../policy/match/read-proxy.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import { matchesText, type StringMatch } from '../../resource/string-match.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import { ACCESS_TYPES } from '../../policy/access/access-policies.ts';
import { accessOne, EAST_SITE } from '../../../test/harness/access-worlds.ts';
import { accessOf, callersAt } from '../mesh/mesh-access.ts';
import { sansOfDataplane } from './caller-names.ts';
import { type CallerChange, type Impact, ImpactSearch } from './mesh-impact.ts';
import type { VerdictChange } from './compare-verdicts.ts';
import type { RequestCondition } from './find-requests.ts';
import { atOnce } from '../../resource/store/parts.ts';

const TD = 'spiffe://td';

const SITES = new Map([['east', { attributes: EAST_SITE, disabled: false }]]);

function viewOf(resources: readonly Resource[]): MeshView {
  const policies = readPolicies(resources);
  const index = indexMesh(resources);
  return {
    mesh: 'default',
    dataplanes: index.ofType('Dataplane'),
    policies,
    permissions: policies.filter(({ resource: { key } }) => key.type === 'MeshTrafficPermission'),
    trusts: [],
    tls: { policies: [], mesh: undefined, refused: false },
    access: accessOf({ mesh: 'default', lists: ACCESS_TYPES.map((type) => index.ofType(type)), sites: SITES }),
    index,
    targets: [],
    find: () => undefined,
    refusal: () => undefined,
  };
}

/** All of it. */
function impactOf(before: MeshView, after: MeshView): Impact {
  const search = new ImpactSearch(before, after);
  atOnce(search.steps());
  return search.result();
}

interface Probe {
  readonly method: string;
  readonly path: string | undefined;
}

/** A caller as somebody who reads the answer has it: who it is, not which class it is in. */
interface Asker {
  readonly sans: readonly string[];
  readonly dataplane?: Resource;
  readonly by?: 'tags' | 'spiffeId';
}

/** What the answer says of one caller and request at one inbound: read by its documentation alone. */
function said({ changes, sets }: Impact, target: Resource, section: string, asker: Asker, request: Probe): VerdictChange | undefined {
  const change = changes.find(({ inbounds }) =>
    inbounds.some((one) => keyId(one.dataplane.key) === keyId(target.key) && one.section === section),
  );
  const entries = (change?.callers ?? []).flatMap(({ from, verdicts }) => from.map((caller) => ({ caller, verdicts })));
  const meaning = entries.filter(({ caller }) => isMeant(caller, asker, sets));
  const [closest] = meaning.sort((a, b) => closeness(b.caller) - closeness(a.caller));
  if (!closest || isExcepted(closest.caller, asker)) return undefined;
  return closest.verdicts.find(({ when }) => holds(when, request));
}

function isMeant(caller: CallerChange, { sans, dataplane: proxy, by }: Asker, sets: Impact['sets']): boolean {
  const [id = ''] = sans;
  if (caller.kind === 'dataplanes') {
    const set = sets[caller.set];
    return proxy !== undefined && set?.by === by && set?.dataplanes.some(({ key }) => key === proxy.key) === true;
  }
  if (proxy || caller.kind === 'plaintext') return false;
  if (caller.kind === 'sans') {
    const wanted = caller.sans.map((san) => (san.endsWith('/') ? `${san}q` : san));
    return sans.length === wanted.length && sans.length > 1 && wanted.every((san) => sans.includes(san));
  }
  if (sans.length !== 1) return false;
  if (caller.kind === 'identity') return caller.spiffeId === id;
  return caller.kind === 'other' || matchesText({ type: 'Prefix', value: caller.spiffeId }, id);
}

function closeness(caller: CallerChange): number {
  if (caller.kind === 'prefix') return caller.spiffeId.length;
  return caller.kind === 'other' ? 0 : 10_000;
}

function isExcepted(caller: CallerChange, { sans: [id = ''] }: Asker): boolean {
  if (!('except' in caller)) return false;
  return caller.except.some(({ kind, spiffeId }) =>
    kind === 'identity' ? spiffeId === id : matchesText({ type: 'Prefix', value: spiffeId }, id),
  );
}

function holds({ method, methodNot, path, pathNot, noPath }: RequestCondition, request: Probe): boolean {
  const onPath = (wanted: StringMatch) => request.path !== undefined && matchesText(wanted, request.path);
  if (method !== undefined && method !== request.method) return false;
  if (methodNot?.includes(request.method)) return false;
  if (path && !onPath(path)) return false;
  if (pathNot && (request.path === undefined || pathNot.some(onPath))) return false;
  return noPath === undefined || request.path === undefined;
}

/** The naive computation. */
function expected(before: readonly Resource[], after: readonly Resource[], target: Resource, at: number, asker: Asker, request: Probe) {
  const verdict = (resources: readonly Resource[]) => {
    const mesh = indexMesh(resources);
    const here = mesh.find(target.key);
    const inbound = here && readProxy(here, mesh).inbounds[at];
    const proxy = asker.dataplane && (mesh.find(asker.dataplane.key) ?? asker.dataplane);
    const spiffeIds = !proxy ? asker.sans : asker.by === 'tags' ? sansOfDataplane(proxy) : [spiffeIdOfDataplane(proxy) ?? ''];
    if (!here || !inbound) return { decision: 'Deny', shadow: 'Deny', decidedBy: undefined, shadowDecidedBy: undefined };
    const view = viewOf(resources);
    const reached = readProxy(here, mesh);
    const permissions = readPermissions(matchInbound(view.permissions, reached, inbound, mesh));
    const deciders = { permissions, callers: callersAt(view, reached, inbound) };
    const asked = { spiffeIds, ...request };
    const { decision, shadow, decidedBy, shadowDecidedBy } = decideBy(deciders, asked, inbound.protocol, 'default');
    return { decision, shadow, decidedBy, shadowDecidedBy };
  };
  const [was, is] = [verdict(before), verdict(after)];
  return was.decision === is.decision && was.shadow === is.shadow ? undefined : { before: was, after: is };
}

function permissionsOf(resources: readonly Resource[], { key }: Resource): unknown {
  const { permissions, index } = viewOf(resources);
  const here = index.find(key);
  const [proxy, inbound] = here ? [readProxy(here, index), readProxy(here, index).inbounds[0]] : [];
  if (!proxy || !inbound) return [];
  return matchInbound(permissions, proxy, inbound, index)
    .filter(({ policy }) => !policy.shadow)
    .map(({ policy }) => policy.resource.spec.from);
}

const IDS = [`${TD}/web`, `${TD}/ns/a`, `${TD}/ns/a/sa/x`, 'spiffe://default/web', 'spiffe://other/y'];
const matcher = fc.oneof(
  fc.constantFrom<JsonObject>(
    ...IDS.map(exact),
    prefix(TD),
    prefix(`${TD}/ns/`),
    prefix(`${TD}/ns/a`),
    prefix('spiffe://default'),
    prefix('spiffe://default.east.mesh.local'),
  ),
  fc.constantFrom<JsonObject>(
    { method: 'GET' },
    { method: 'GET', ...exact(IDS[0] ?? '') },
    { path: { type: 'Prefix', value: '/v2' } },
    { path: { type: 'Prefix', value: '/' }, method: 'POST' },
    { path: { type: 'Exact', value: '/v2/x' }, ...prefix(TD) },
  ),
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
  { kind: 'MeshServiceSubset', name: 'web', tags: { env: 'dev' } },
  { kind: 'Mesh', mesh: 'other' },
);
const ACTIONS = ['ALLOW', 'DENY', 'ALLOW_WITH_SHADOW_DENY', 'DENY_WITH_SHADOW_ALLOW'];
const from = fc.array(fc.tuple(source, fc.constantFrom(...ACTIONS)), { minLength: 1, maxLength: 3 }).map((items) => fromList(...items));
const target = fc.constantFrom<JsonObject>(
  {},
  { kind: 'MeshSubset', tags: { env: 'dev' } },
  { kind: 'MeshService', name: 'backend' },
  { kind: 'Dataplane', labels: { app: 'one' } },
  { kind: 'Dataplane', sectionName: 'main' },
  { kind: 'MeshHTTPRoute', name: 'r' },
);
const policy = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'd'),
    fc.oneof(lists, from),
    target,
    fc.constantFrom('', 'east'),
    fc.constantFrom('', '', '', 'shadow'),
  )
  .map(([name, body, targetRef, where, effect]) =>
    permission(name, { ...body, targetRef }, where, effect === '' ? {} : { 'kuma.io/effect': effect }),
  );
const proxy = fc
  .tuple(
    fc.constantFrom('p', 'q', 'r', 's'),
    fc.constantFrom('backend', 'web'),
    fc.constantFrom('dev', 'prod'),
    fc.constantFrom('http', 'tcp'),
    fc.boolean(),
  )
  .map(([name, service, env, protocol, one]) =>
    dataplane({ name, tags: { 'kuma.io/service': service, env }, protocol, labels: one ? { app: 'one' } : {} }),
  );
const route = fc.constantFrom('/v2', '/v2/x', '/other').map((value) => {
  const rules = [{ matches: [{ path: { type: 'PathPrefix', value } }] }];
  return resource('MeshHTTPRoute', 'r', { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules }] });
});
const selector = ({ key }: Resource) => keyId(key);
const state = fc
  .tuple(
    fc.uniqueArray(policy, { selector, maxLength: 5 }),
    fc.oneof(fc.constant([]), fc.uniqueArray(accessOne, { selector, maxLength: 2 })),
    fc.uniqueArray(proxy, { selector, minLength: 1, maxLength: 3 }),
    route,
  )
  .map(([policies, access, proxies, way]) => [...policies, ...access, ...proxies, way]);
/** A few of the other state's resources replace or join those of the first. */
const change = fc.tuple(state, state, fc.nat({ max: 7 })).map(([before, other, count]) => {
  const after = new Map(before.map((one) => [keyId(one.key), one]));
  for (const one of other.slice(0, count)) after.set(keyId(one.key), one);
  return { before, after: [...after.values()] };
});

describe('impactOf', () => {
  it('is what the evaluator says before and after, for every proxy, caller and request', () => {
    const unnamed = ['spiffe://nobody/x', `${TD}/ns/a/sa/y`, `${TD}/ns/b`, `${TD}/z`, 'spiffe://default/z', 'spiffe://other/z'];
    // A set of SANs is an entry of its own only where `from` names it; elsewhere the proxies that have it are.
    const several: [kind: string, sans: string[]][] = [
      ['MeshServiceSubset', ['spiffe://default/web', 'kuma://env/dev']],
      ['MeshSubset', ['spiffe://default/q', 'kuma://env/dev']],
    ];
    const identities: Asker[] = [...IDS, ...unnamed, `${TD}/ns/a`].map((id) => ({ sans: [id] }));
    const requests = ['GET', 'POST', 'PUT'].flatMap((method) =>
      ['/', '/v2', '/v2/x', '/v2/y', '/w', undefined].map((path) => ({ method, path })),
    );
    let changes = 0;
    fc.assert(
      fc.property(change, ({ before, after }) => {
        const impact = impactOf(viewOf(before), viewOf(after));
        const proxies = after.filter(({ key }) => key.type === 'Dataplane');
        for (const one of proxies) {
          const named = JSON.stringify([before, after].map((resources) => permissionsOf(resources, one)));
          const askers: Asker[] = [
            ...identities,
            ...several.filter(([kind]) => named.includes(`"kind":"${kind}","`) && named.includes('"tags"')).map(([, sans]) => ({ sans })),
            ...(['tags', 'spiffeId'] as const).flatMap((by) => proxies.map((dataplane) => ({ sans: [], dataplane, by }))),
          ];
          for (const asker of askers) {
            for (const request of requests) {
              const wanted = expected(before, after, one, 0, asker, request);
              const { before: was, after: is } = said(impact, one, 'main', asker, request) ?? {};
              if (wanted) changes++;
              const context = JSON.stringify({ to: one.key.name, asker, request });
              assert.deepEqual(was && { before: was, after: is }, wanted, context);
            }
          }
        }
      }),
      { includeErrorInReport: true, numRuns: Number(process.env.MERIDIAN_IMPACT_RUNS ?? 25) },
    );
    assert.ok(changes > 100, `only ${changes} changes were seen`);
  });

  /** How many steps a change of so many permissions takes, at 10 proxies. */
  function stepsOf(count: number): number {
    const proxies = Array.from({ length: 10 }, (_, index) => dataplane({ name: `p-${index}` }));
    const named = Array.from({ length: count }, (_, index) =>
      permission(`mtp-${index}`, { targetRef: { kind: 'Mesh' }, default: { allow: [exact(`${TD}/${index}`)] } }),
    );
    return Array.from(new ImpactSearch(viewOf(proxies), viewOf([...proxies, ...named])).steps()).length;
  }

  it('takes twice the steps for twice the permissions', () => {
    const [some, twice] = [stepsOf(500), stepsOf(1_000)];
    assert.ok(some > 500 && twice < 2.2 * some, `${some} steps, then ${twice}`);
  });

  it('has found, wherever it is ended, nothing that is not so', () => {
    const [one, other] = [dataplane({ name: 'one', protocol: 'tcp' }), dataplane({ name: 'other', labels: { app: 'web' } })];
    const only = permission('only', { targetRef: { kind: 'Dataplane', labels: { app: 'web' } }, default: { allow: [exact(`${TD}/a`)] } });
    const all = permission('all', { targetRef: { kind: 'Mesh' }, default: { allow: [exact(`${TD}/b`)] } });
    const [before, after] = [viewOf([one, other]), viewOf([one, other, only, all])];
    const whole = impactOf(before, after).changes.map((change) =>
      JSON.stringify(change.inbounds.map(({ dataplane: { key } }) => key.name)),
    );
    const search = new ImpactSearch(before, after);
    for (const step of search.steps()) {
      assert.equal(step, undefined);
      for (const { inbounds } of search.result().changes) {
        assert.ok(whole.includes(JSON.stringify(inbounds.map(({ dataplane: { key } }) => key.name))));
      }
    }
    assert.equal(search.result().changes.length, 2);
  });
});
