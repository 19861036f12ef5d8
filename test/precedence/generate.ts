import fc from 'fast-check';
import { asArray, asObject } from '../../src/naming/json.ts';
import { kindOf } from '../../src/resource/kinds.ts';
import { roleOf } from '../../src/policy/policy-role.ts';
import type { JsonObject, JsonValue } from '../../src/resource/resource.ts';
import { homeLabels, type Space } from './world.ts';

/** Two policies of one kind that may select the same proxies. */
export interface PolicyPair {
  readonly space: Space;
  readonly policies: readonly [JsonObject, JsonObject];
}

export const MESH = 'default';

const MESH_REF: JsonObject = { kind: 'Mesh' };
const SECTION = fc.constantFrom<JsonObject>({}, { sectionName: 'main' });

/** Where names differ by the store (a Dataplane and a gateway by name in a namespace), only labels are compared. */
function dataplane(space: Space, label: string, name: string): fc.Arbitrary<JsonObject> {
  const who: JsonObject[] = [{}, { labels: { app: label } }, ...(space === '' ? [{ name }] : [])];
  return fc.tuple(fc.constantFrom(...who), SECTION).map(([by, section]) => ({ kind: 'Dataplane', ...by, ...section }));
}

function subset(app: string): fc.Arbitrary<JsonObject> {
  return fc.constantFrom<JsonObject>({}, { app }, { app, port: '8080' }).map((tags) => ({ kind: 'MeshSubset', tags }));
}

function older(app: string): fc.Arbitrary<JsonObject> {
  return fc.constantFrom<JsonObject>(
    { kind: 'MeshService', name: app },
    { kind: 'MeshService', name: app, sectionName: 'main' },
    { kind: 'MeshServiceSubset', name: app, tags: { app } },
    { kind: 'MeshServiceSubset', name: app, tags: { app, port: '8080' } },
  );
}

/** Outgoing traffic has no section of a Dataplane: Kuma refuses that. */
function top(space: Space, app: string, sections: boolean): fc.Arbitrary<JsonObject> {
  const proxies = [
    { weight: 1, arbitrary: fc.constant(MESH_REF) },
    { weight: 4, arbitrary: dataplane(space, app, `${app}-1`).map((ref) => (sections ? ref : without(ref, 'sectionName'))) },
    { weight: 2, arbitrary: subset(app) },
  ];
  return fc.oneof(...proxies, ...(space === '' ? [{ weight: 2, arbitrary: older(app) }] : []));
}

const BY_LABELS: JsonObject = { kind: 'MeshService', labels: { app: 'store' } };
const BY_NAME: JsonObject = { kind: 'MeshService', name: 'store' };

/** Every item is for all, or for the one service, whole or by a section, or for a route. */
function destination(space: Space): fc.Arbitrary<JsonObject> {
  const service = fc.tuple(fc.constantFrom(BY_LABELS, ...(space === '' ? [BY_NAME] : [])), SECTION);
  const named = service.map(([ref, section]): JsonObject => ({ ...ref, ...section }));
  return space === ''
    ? fc.oneof(
        fc.constant(MESH_REF),
        named,
        fc.constantFrom<JsonObject>({ kind: 'MeshHTTPRoute', name: 'all' }, { kind: 'MeshHTTPRoute', name: 'own' }),
      )
    : fc.oneof(fc.constant(MESH_REF), named);
}

function permissionSpec(space: Space): fc.Arbitrary<JsonObject> {
  return fc.tuple(top(space, 'backend', true), fc.constantFrom('Allow', 'Deny', 'AllowWithShadowDeny')).map(([targetRef, action]) => ({
    targetRef,
    from: [{ targetRef: MESH_REF, default: { action } }],
  }));
}

function timeoutSpec(space: Space): fc.Arbitrary<JsonObject> {
  const seconds = fc.integer({ min: 1, max: 59 }).map((value): JsonObject => ({ http: { requestTimeout: `${value}s` } }));
  const items = fc.array(
    fc.tuple(destination(space), seconds).map(([targetRef, conf]): JsonObject => ({ targetRef, default: conf })),
    { minLength: 1, maxLength: 3 },
  );
  const plain = fc.tuple(top(space, 'client', false), items).map(([targetRef, to]): JsonObject => ({ targetRef, to }));
  if (space !== '') return plain;
  const route = fc.constantFrom<JsonObject>({ kind: 'MeshHTTPRoute', name: 'own' }, { kind: 'MeshHTTPRoute', name: 'all' });
  const onRoute = fc
    .tuple(route, seconds)
    .map(([targetRef, conf]): JsonObject => ({ targetRef, to: [{ targetRef: MESH_REF, default: conf }] }));
  return fc.oneof({ weight: 5, arbitrary: plain }, { weight: 1, arbitrary: onRoute });
}

/** Where a policy is from: global, an operator of the zone, or a tenant in the namespace. */
const FROM = { '': fc.constantFrom('global', 'zone'), ns: fc.constantFrom('global', 'zone', 'tenant') };

function labels(from: string, type: string, spec: JsonObject): JsonObject {
  if (from === 'global') return { 'kuma.io/origin': 'global' };
  const home = homeLabels(from === 'tenant' ? 'ns' : '');
  const role = roleOf(kindOf(type), spec, from === 'tenant' ? 'ns' : '', '');
  // On Universal nobody else computes the role; test/reference/role-vectors.json says that both compute the same.
  return 'role' in role && from === 'tenant' ? { ...home, 'kuma.io/policy-role': role.role } : home;
}

/** Names of what is in a zone are other ones at global: its policies speak of services and routes by their labels. */
function byLabels(spec: JsonObject): JsonObject {
  const read = (ref: JsonValue | undefined): JsonObject => {
    const { kind, name, ...more } = asObject(ref) ?? {};
    if (kind === 'MeshHTTPRoute' && name !== undefined) return { kind, labels: { route: name } };
    return kind === 'MeshService' && name !== undefined ? { kind, labels: { app: name }, ...more } : (asObject(ref) ?? {});
  };
  if (spec.to === undefined) return spec;
  const { kind } = asObject(spec.targetRef) ?? {};
  const to = asArray(spec.to).map((item) => ({ ...asObject(item), targetRef: read(asObject(item)?.targetRef) }));
  return { ...spec, to, ...(kind === 'MeshHTTPRoute' ? { targetRef: read(spec.targetRef) } : {}) };
}

function without(ref: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(ref).filter(([name]) => name !== field));
}

/** `count` pairs, the same for the same seed. */
export function generatePairs(seed: number, count: number): PolicyPair[] {
  const pair = fc.constantFrom<Space>('', '', 'ns').chain((space) =>
    fc.constantFrom('MeshTrafficPermission', 'MeshTimeout').chain((type) => {
      const spec = type === 'MeshTimeout' ? timeoutSpec(space) : permissionSpec(space);
      const policy = fc.tuple(spec, FROM[space]);
      return fc.tuple(policy, policy, fc.boolean()).map(([one, other, swapped]): PolicyPair => {
        const make = ([body, from]: [JsonObject, string], name: string): JsonObject => {
          const said = from === 'global' ? byLabels(body) : body;
          return { type, mesh: MESH, name, labels: labels(from, type, said), spec: said };
        };
        const [first, second] = swapped ? ['bbb', 'aaa'] : ['aaa', 'bbb'];
        return { space, policies: [make(one, first), make(other, second)] };
      });
    }),
  );
  return fc.sample(pair, { seed, numRuns: count });
}
