import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import fc from 'fast-check';
import { can } from '../src/control/mesh/answer-can.ts';
import { Enforcement } from '../src/control/enforce/enforcement.ts';
import { readMeshView } from '../src/control/mesh/mesh-view.ts';
import type { Plane } from '../src/control/plane/plane.ts';
import { carry, EAST, newGlobal, newZone, WEST } from './harness/control-planes.ts';
import { MeridianError } from '../src/errors.ts';
import type { Request } from '../src/policy/decide/read-request.ts';
import { fromRules, inboundRules } from '../src/policy/inspect/inbound-rules.ts';
import { sectionOf } from '../src/policy/inspect/proxy-layout.ts';
import { toRules } from '../src/policy/inspect/outbound-rules.ts';
import { wholeConf } from '../src/policy/inspect/whole-conf.ts';
import { readProxy } from '../src/policy/match/read-proxy.ts';
import { matchInbound, matchProxy } from '../src/policy/match/select-policies.ts';
import { formatKri } from '../src/resource/key.ts';
import { kindOf } from '../src/resource/kinds.ts';
import type { Draft, JsonObject, Resource } from '../src/resource/resource.ts';
import { restName } from '../src/resource/rest-name.ts';
import { deleteResource, writeDrafts } from './harness/write-drafts.ts';

/**
 * A tenant can't reach further than its namespace: whatever it writes in namespace `a` of zone east, no answer about a
 * proxy of another namespace or zone changes, on the zone, on the other zone and at global.
 */

const RUNS = Number(process.env.TENANT_RUNS ?? 60);
const [WEB, OTHER] = ['spiffe://td/ns/b/sa/web', 'spiffe://td/ns/a/sa/other'];
const exact = (value: string) => ({ spiffeId: { type: 'Exact', value } });

const draft = (
  type: string,
  name: string,
  namespace: string | undefined,
  spec: JsonObject,
  labels: Record<string, string> = {},
): Draft => ({
  type,
  mesh: 'default',
  name,
  namespace,
  labels,
  spec,
});

function dataplane(name: string, namespace: string, tags: Record<string, string>, labels: Record<string, string> = {}): Draft {
  const inbound = [
    { name: 'web', port: 8080, protocol: 'http', tags: { 'kuma.io/service': 'backend', env: 'dev', ...tags } },
    { name: 'db', port: 5432, protocol: 'tcp', tags: { 'kuma.io/service': 'db', ...tags } },
  ];
  return draft('Dataplane', name, namespace, { networking: { address: '127.0.0.1', inbound } }, { app: 'web', ...labels });
}

const gatewayProxy = (namespace: string): Draft =>
  draft('Dataplane', 'gw', namespace, {
    networking: { address: '127.0.0.1', gateway: { type: 'BUILTIN', tags: { 'kuma.io/service': 'edge' } } },
  });

const service = (name: string, namespace: string, labels: Record<string, string> = { app: 'web' }): Draft =>
  draft(
    'MeshService',
    name,
    namespace,
    { selector: { dataplaneTags: { env: 'dev' } }, ports: [{ name: 'web', port: 80, targetPort: 8080 }] },
    labels,
  );

const permission = (name: string, namespace: string | undefined, targetRef: JsonObject, lists: JsonObject): Draft =>
  draft('MeshTrafficPermission', name, namespace, { targetRef, rules: [{ default: lists }] });

/** A route to a service by each way of saying which. */
const route = (name: string, namespace: string, backend: JsonObject, labels: Record<string, string>): Draft =>
  draft(
    'MeshHTTPRoute',
    name,
    namespace,
    {
      to: [
        {
          targetRef: { kind: 'MeshService', name: 'backend' },
          rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v2' } }], default: { backendRefs: [{ ...backend, port: 80 }] } }],
        },
      ],
    },
    labels,
  );

const ROUTES = { kind: 'MeshHTTPRoute', labels: { tier: 'public' } };
const SERVICES = { kind: 'MeshService', labels: { app: 'web' } };

let global: Plane;
let east: Plane;
let west: Plane;
let usual: ReadonlyMap<string, string>;

/** Everybody takes over what the others have: all of it, or what changed. */
function sync(mode: 'scan' | 'delta' = 'delta'): void {
  for (const [sender, receiver] of [
    [east, global],
    [west, global],
    [global, east],
    [global, west],
  ] as const)
    assert.equal(carry(sender, receiver, mode), 'applied');
}

function begin(): void {
  global = newGlobal(EAST, WEST);
  const gateway = { selectors: [{ match: { 'kuma.io/service': 'edge' } }], conf: { listeners: [{ port: 80, protocol: 'HTTP' }] } };
  writeDrafts(global, [
    permission('everybody', undefined, { kind: 'Mesh' }, { allow: [exact(WEB)] }),
    permission('public-routes', undefined, ROUTES, { allow: [exact(OTHER)], deny: [{ ...exact(WEB), method: 'GET' }] }),
    draft('MeshGateway', 'edge', undefined, gateway as unknown as JsonObject),
  ]);
  [east, west] = [newZone(EAST, global), newZone(WEST, global)];
  writeDrafts(east, [
    permission('services', undefined, SERVICES, { deny: [{ method: 'DELETE' }] }),
    permission('public-here', undefined, ROUTES, { allowWithShadowDeny: [{ path: { type: 'Prefix', value: '/v2' } }] }),
    // Of no service yet.
    dataplane('system', 'kuma-system', { env: 'prod' }),
    gatewayProxy('kuma-system'),
  ]);
  for (const zone of [east, west]) {
    writeDrafts(zone, [
      permission('routes-of-b', 'b', ROUTES, { allow: [exact(OTHER)] }),
      permission('services-of-b', 'b', SERVICES, { deny: [exact(OTHER)] }),
      draft('MeshTLS', 'tls', 'b', { targetRef: { kind: 'Dataplane', sectionName: 'db' }, rules: [{ default: { mode: 'Permissive' } }] }),
      ...['a', 'b'].flatMap((namespace) => [
        dataplane('web', namespace, {}),
        dataplane('odd', namespace, { app: 'web', team: 'a', tier: 'public' }, { tier: 'public', team: 'a' }),
        gatewayProxy(namespace),
        // What is there of the tenant's draws nothing anywhere yet.
        service('backend', namespace, namespace === 'a' ? {} : { app: 'web' }),
      ]),
      route('own', 'b', { kind: 'MeshService', name: 'backend' }, { tier: 'public' }),
    ]);
  }
  sync('scan');
  usual = answers();
}

after(() => {
  for (const { store } of [global, east, west]) store.close();
});

const isTenants = ({ key }: Pick<Resource, 'key'>): boolean => key.zone === 'east' && key.namespace === 'a';

/** All that is said about proxies that are not the tenant's, by who says it about which. */
function answers(): Map<string, string> {
  return new Map([global, east, west].flatMap((plane) => answersOf(plane)));
}

const REQUESTS: readonly Request[] = [
  { spiffeIds: [WEB], method: 'GET', path: '/v2/x' },
  { spiffeIds: [OTHER], method: 'GET', path: '/v2/x' },
  { spiffeIds: [WEB], method: 'DELETE', path: '/' },
  { spiffeIds: [OTHER], method: 'GET', path: '/' },
  { spiffeIds: [] },
  { tags: { 'kuma.io/service': 'backend' }, mesh: 'default', method: 'GET', path: '/' },
];

function answersOf(plane: Plane): [string, string][] {
  const view = readMeshView(plane, 'default');
  const enforcement = new Enforcement(plane, true);
  return view.dataplanes
    .filter((found) => !isTenants(found))
    .map((found) => {
      const proxy = readProxy(found, view.index);
      const inbounds = proxy.inbounds.map((inbound) => matchInbound(view.policies, proxy, inbound, view.index));
      const kinds = [...new Set(inbounds.flat().map(({ policy }) => policy.resource.key.type))].sort();
      const rules = kinds.map((type) => {
        const selecting = matchProxy(view.policies, proxy, view.index).filter(({ resource }) => resource.key.type === type);
        const to = kindOf(type).policy?.to ? toRules(type, selecting, view.index) : [];
        return {
          type,
          inbound: inbounds.map((matches) =>
            inboundRules(
              type,
              matches.filter(({ policy }) => policy.resource.key.type === type),
            ),
          ),
          from: inbounds.map((matches) =>
            fromRules(
              type,
              matches.filter(({ policy }) => policy.resource.key.type === type),
            ),
          ),
          whole: kindOf(type).policy?.single ? wholeConf(type, selecting) : undefined,
          // What a producer says of its own service is for everybody who calls it.
          to: to.filter(({ resource }) => !resource || !isTenants(resource)).map(({ resource, ...rule }) => [resource?.key, rule]),
        };
      });
      const sections = [...new Set(proxy.inbounds.map(sectionOf))].filter((section) => section !== '');
      const verdicts = sections.flatMap((section) =>
        REQUESTS.map((request) => can(plane, view, true, { dataplane: found, section, request })),
      );
      const enforced = plane.place.zone === found.key.zone ? enforcement.rulesOf('default', restName(found, plane.place)) : undefined;
      const said = {
        rules: rules.filter(({ to, ...others }) => to.length > 0 || JSON.stringify(others).includes('conf')),
        verdicts,
        enforced,
      };
      return [`${plane.place.zone || 'global'} of ${formatKri(found.key)}`, JSON.stringify(said, undefined, 1)];
    });
}

const names = fc.constantFrom('web', 'odd', 'backend', 'own', 'edge', 'gw', 'tls', 'mine', 'services-of-b');
const namespaces = fc.constantFrom(undefined, 'a', 'b', 'kuma-system');
const pairs = (extra: Record<string, readonly string[]>) =>
  fc
    .record(
      Object.fromEntries(
        Object.entries({
          app: ['web'],
          tier: ['public'],
          team: ['a', 'b'],
          env: ['dev'],
          'kuma.io/zone': ['east', 'west'],
          'k8s.kuma.io/namespace': ['a', 'b', 'kuma-system'],
          'kuma.io/display-name': ['web', 'odd'],
          ...extra,
        }).map(([name, values]) => [name, fc.constantFrom(...values)]),
      ),
      { requiredKeys: [] },
    )
    .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)) as Record<string, string>);
const someTags = pairs({ 'kuma.io/service': ['backend', 'db', 'edge'] });
const someLabels = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ app: fc.constant('web'), tier: fc.constant('public'), team: fc.constantFrom('a', 'b') }, { requiredKeys: [] }),
  },
  {
    weight: 1,
    arbitrary: pairs({ 'kuma.io/policy-role': ['system', 'producer'], 'kuma.io/origin': ['global'], 'kuma.io/effect': ['shadow'] }),
  },
) as fc.Arbitrary<Record<string, string>>;

const clean = (value: object): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([, of]) => of !== undefined && (typeof of !== 'object' || Object.keys(of as object).length > 0)),
  ) as JsonObject;
const section = fc.constantFrom(undefined, undefined, 'web', 'db', '8080');
const proxyTypes = fc.constantFrom(undefined, undefined, ['Gateway'], ['Sidecar']);
const byNameOrLabels = (kind: string) =>
  fc.oneof(
    fc.record({ kind: fc.constant(kind), name: names, namespace: namespaces, sectionName: section }),
    fc.record({ kind: fc.constant(kind), labels: pairs({}), sectionName: section }),
  );
const targetRefs: fc.Arbitrary<JsonObject> = fc
  .oneof(
    fc.record({ kind: fc.constant('Mesh'), proxyTypes }),
    fc.record({ kind: fc.constant('MeshSubset'), tags: someTags, proxyTypes }),
    fc.record({ kind: fc.constant('MeshServiceSubset'), name: fc.constantFrom('backend', 'db'), tags: someTags }),
    fc.record({ kind: fc.constant('MeshGateway'), name: fc.constantFrom('edge') }),
    fc.record({ kind: fc.constant('Dataplane'), sectionName: section }),
    byNameOrLabels('Dataplane'),
    byNameOrLabels('MeshService'),
    ...['MeshHTTPRoute', 'MeshTCPRoute', 'MeshGatewayRoute'].map((kind) => byNameOrLabels(kind).map(({ sectionName: _, ...ref }) => ref)),
  )
  .map(clean);

const matchers = fc.constantFrom(
  exact(WEB),
  exact(OTHER),
  { method: 'GET' },
  { path: { type: 'Prefix', value: '/v2' } },
  { spiffeId: { type: 'Prefix', value: 'spiffe://td' } },
);
const lists = fc
  .record(
    { deny: fc.array(matchers, { minLength: 1, maxLength: 2 }), allow: fc.array(matchers, { minLength: 1, maxLength: 2 }) },
    { requiredKeys: [] },
  )
  .map((of) => of as unknown as JsonObject);
const destinations = fc.oneof(
  fc.constant<JsonObject>({ kind: 'Mesh' }),
  byNameOrLabels('MeshService').map(clean),
  fc.record({ kind: fc.constant('MeshServiceSubset'), name: fc.constantFrom('backend', 'db'), tags: someTags }).map(clean),
);
const conf = fc.constantFrom<JsonObject>({ connectionTimeout: '1s' }, { idleTimeout: '2s' });

/** What a tenant may try to write, each of every shape. */
const specs: fc.Arbitrary<[type: string, spec: JsonObject]> = fc.oneof(
  fc.tuple(fc.constant('MeshTrafficPermission'), fc.record({ targetRef: targetRefs, default: lists })),
  fc.tuple(fc.constant('MeshTrafficPermission'), fc.record({ targetRef: targetRefs, rules: lists.map((of) => [{ default: of }]) })),
  fc.tuple(
    fc.constant('MeshTrafficPermission'),
    fc.record({
      targetRef: targetRefs,
      from: fc.constantFrom('Allow', 'Deny', 'AllowWithShadowDeny').map((action) => [{ targetRef: { kind: 'Mesh' }, default: { action } }]),
    }),
  ),
  fc.tuple(
    fc.constant('MeshTimeout'),
    fc.record({ targetRef: targetRefs, to: fc.tuple(destinations, conf).map(([ref, of]) => [{ targetRef: ref, default: of }]) }),
  ),
  fc.tuple(fc.constant('MeshTimeout'), fc.record({ targetRef: targetRefs, rules: conf.map((of) => [{ default: of }]) })),
  fc.tuple(
    fc.constant('MeshTLS'),
    fc.record({ targetRef: targetRefs, rules: fc.constantFrom('Permissive', 'Strict').map((mode) => [{ default: { mode } }]) }),
  ),
  fc.tuple(fc.constant('MeshMetric'), fc.record({ targetRef: targetRefs, default: fc.constant({ sidecar: { includeUnused: true } }) })),
  fc
    .tuple(destinations, destinations)
    .map(([ref, backend]): [string, JsonObject] => ['MeshHTTPRoute', { ...route('', '', backend, {}).spec, to: routeTo(ref, backend) }]),
  someTags.map((tags): [string, JsonObject] => [
    'MeshService',
    { selector: { dataplaneTags: tags }, ports: [{ port: 80, targetPort: 8080 }] },
  ]),
  someTags.map((tags): [string, JsonObject] => ['Dataplane', dataplane('', '', tags).spec]),
) as fc.Arbitrary<[string, JsonObject]>;

const routeTo = (targetRef: JsonObject, backend: JsonObject): JsonObject[] => [
  {
    targetRef,
    rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/v2' } }], default: { backendRefs: [{ ...backend, port: 80 }] } }],
  },
];

const writes = fc.array(fc.tuple(specs, fc.constantFrom('mine', 'web', 'own', 'everybody', 'services-of-b'), someLabels), {
  minLength: 1,
  maxLength: 4,
});

/** Each kind of targetRef as wide as it goes, under each shape of permission: tried first, whatever the seed. */
const WIDE: readonly JsonObject[] = [
  { kind: 'Mesh' },
  { kind: 'MeshSubset', tags: { env: 'dev' } },
  { kind: 'MeshServiceSubset', name: 'backend' },
  { kind: 'MeshService', name: 'backend' },
  { kind: 'MeshService', labels: { app: 'web' } },
  { kind: 'Dataplane' },
  { kind: 'Dataplane', labels: { app: 'web' } },
  { kind: 'Dataplane', name: 'web', namespace: 'b' },
  ...['MeshHTTPRoute', 'MeshTCPRoute', 'MeshGatewayRoute'].map((kind) => ({ kind, labels: { tier: 'public' } })),
];
const everything = { deny: [{ method: 'GET' }], allow: [{ spiffeId: { type: 'Prefix', value: 'spiffe://td' } }] };
const SHAPES: readonly JsonObject[] = [
  { default: everything },
  { rules: [{ default: everything }] },
  { from: [{ targetRef: { kind: 'Mesh' }, default: { action: 'Allow' } }] },
];
type Write = [spec: [type: string, spec: JsonObject], name: string, labels: Record<string, string>];
const alone = (type: string, spec: JsonObject): Write => [[type, spec], 'mine', { app: 'web', tier: 'public' }];
const mine = alone('MeshHTTPRoute', {
  to: routeTo({ kind: 'MeshService', name: 'backend' }, { kind: 'MeshServiceSubset', name: 'backend' }),
});
const EXAMPLES: [Write[]][] = [
  ...WIDE.flatMap((targetRef) => SHAPES.map((shape): [Write[]] => [[mine, alone('MeshTrafficPermission', { targetRef, ...shape })]])),
  [WIDE.slice(0, 1).map((targetRef) => alone('MeshTLS', { targetRef, rules: [{ default: { mode: 'Permissive' } }] }))],
  [[alone('MeshService', { selector: { dataplaneTags: { env: 'prod' } }, ports: [{ port: 80, targetPort: 8080 }] })]],
  [[alone('Dataplane', dataplane('', '', { team: 'b' }).spec)]],
  [[alone('MeshTimeout', { to: [{ targetRef: { kind: 'MeshService', name: 'nowhere' }, default: { connectionTimeout: '1s' } }] })]],
];

/** Out: what was taken. The rest was refused, which reaches nobody. */
function write(tried: readonly Write[]): Draft[] {
  const taken = tried.flatMap(([[type, spec], name, labels]) => {
    const one = draft(type, type === 'Dataplane' ? `own-${name}` : name, 'a', spec, labels);
    try {
      writeDrafts(east, [one]);
      return [one];
    } catch (thrown) {
      if (thrown instanceof MeridianError && thrown.code !== 'internal') return [];
      throw thrown;
    }
  });
  return [...new Map(taken.map((one) => [`${one.type} ${one.name}`, one])).values()];
}

function remove(taken: readonly Draft[]): void {
  for (const { type, name } of taken) deleteResource(east, { type, mesh: 'default', zone: 'east', namespace: 'a', name });
}

/** The lines that are new and those that are gone. */
function difference(before: string, now: string): string {
  const [old, fresh] = [before.split('\n'), now.split('\n')];
  const only = (some: string[], others: string[]) => some.filter((line) => !others.includes(line)).slice(0, 12);
  return (
    [...only(fresh, old).map((line) => `+${line}`), ...only(old, fresh).map((line) => `-${line}`)].join('\n') ||
    'the same lines in another order'
  );
}

it('what a tenant writes changes nothing that is said of other proxies', () => {
  begin();
  const accepted = new Map<string, number>();
  fc.assert(
    fc.property(writes, (tried) => {
      const taken = write(tried);
      for (const { type, spec } of taken) {
        const id = `${type} ${String((spec.targetRef as JsonObject | undefined)?.kind ?? '-')}`;
        accepted.set(id, (accepted.get(id) ?? 0) + 1);
      }
      try {
        sync();
        const now = answers();
        assert.deepEqual([...now.keys()], [...usual.keys()]);
        for (const [about, said] of now)
          if (said !== usual.get(about)) assert.fail(`${about}: ${difference(usual.get(about) ?? '', said)}`);
      } finally {
        remove(taken);
        sync();
      }
    }),
    { numRuns: RUNS, examples: EXAMPLES, includeErrorInReport: true },
  );
  const wanted = [
    'Mesh',
    'MeshSubset',
    'MeshServiceSubset',
    'Dataplane',
    'MeshService',
    'MeshHTTPRoute',
    'MeshTCPRoute',
    'MeshGatewayRoute',
  ];
  for (const kind of wanted) assert.ok(accepted.has(`MeshTrafficPermission ${kind}`), `no permission for ${kind} was tried`);
  for (const id of ['MeshTLS Mesh', 'MeshHTTPRoute -', 'MeshService -', 'Dataplane -', 'MeshTimeout -']) assert.ok(accepted.has(id), id);
});
