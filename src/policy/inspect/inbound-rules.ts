import { asArray, asObject, isAbsent } from '../../naming/json.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { Key } from '../../resource/key.ts';
import { isObject } from '../../resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import type { FromKind, TargetRef } from '../../resource/schema/reference-kinds.ts';
import { isEverybody, requiredSans } from '../match/client-sans.ts';
import { fromItems, mergeFrom, mergeRules } from '../match/inbound-items.ts';
import { canonical, type MergedConf } from '../match/merge-confs.ts';
import type { Policy } from '../match/policy.ts';
import type { SelectingPolicy } from '../match/select-policies.ts';

/** The rules for the requests of an inbound. */
export interface InboundRule extends MergedConf {
  /** For which requests; an empty list: for all. */
  readonly matches: readonly JsonValue[];
  /** For each origin, its place in that policy's list. */
  readonly ruleIndexes: readonly number[];
  /** Only for requests through these routes; empty: for all. */
  readonly routes: readonly Key[];
}

/** The rules for the requests of some clients. */
export interface FromRule extends MergedConf {
  readonly targetRef: TargetRef<FromKind>;
}

const PERMISSION = 'MeshTrafficPermission';

/**
 * The rules of one kind on an inbound, the weakest first. Those of permissions stand side by side, as Kuma shows them:
 * each decides (docs/design/sources.md#spiffe). Of other kinds those with the same `matches` are merged; what holds for
 * a route alone is left out.
 *
 *   MeshTimeout a, rules: [{default: {x: 1}}]
 *   and b, rules: [{default: {y: 1}}]             ->  [{conf: {x: 1, y: 1}, origins: [a, b]}]
 *   permissions a {deny: [p]} and b {allow: [q]}  ->  [{deny: [p]} of a, {allow: [q]} of b]
 */
export function inboundRules(type: string, matches: readonly SelectingPolicy[]): InboundRule[] {
  if (type === PERMISSION) return matches.flatMap(permissionRules);
  const policies = wholly(matches).map((policy) => (kindOf(type).fromAsRules ? withRules(policy) : policy));
  return mergeRules(type, policies).map((rule) => ({ ...rule, ruleIndexes: indexesOf(policies, rule), routes: [] }));
}

function permissionRules({ policy, via }: SelectingPolicy): InboundRule[] {
  if (policy.shadow) return [];
  const routes = (via ?? []).map(({ route }) => route);
  return permissionLists(policy).map((conf, index) => ({
    conf,
    origins: [policy.resource.key],
    matches: [],
    ruleIndexes: [index],
    routes,
  }));
}

/** The deny and allow lists of a permission, as they are written. */
export function permissionLists({ resource: { spec } }: Policy): JsonObject[] {
  const rules = asArray(spec.rules).map((rule) => asObject(asObject(rule)?.default));
  return [asObject(spec.default), ...rules].filter((conf) => conf !== undefined);
}

/** The policies that select the inbound whatever route a request comes by. */
export function wholly(matches: readonly SelectingPolicy[]): Policy[] {
  return matches.filter(({ via }) => via === undefined).map(({ policy }) => policy);
}

function withRules(policy: Policy): Policy {
  const { resource } = policy;
  const everybody = asArray(resource.spec.from)
    .map(asObject)
    .filter((item) => item !== undefined && isForAll(item.targetRef));
  const rules = everybody.map((item) => ({ default: item?.default }));
  const spec = { ...resource.spec, rules: [...asArray(resource.spec.rules), ...rules] };
  return { ...policy, resource: { ...resource, spec } };
}

function isForAll(ref: JsonValue | undefined): boolean {
  const said = asObject(ref);
  // Clients of another mesh are not everybody.
  return isAbsent(ref) || (said?.kind === 'Mesh' && said.mesh === undefined);
}

/** A policy may have several rules of the same `matches`: the last one is the strongest. */
function indexesOf(policies: readonly Policy[], { matches, origins }: Pick<InboundRule, 'matches' | 'origins'>): number[] {
  return origins.map((key) => {
    const rules = asArray(policies.find(({ resource }) => resource.key === key)?.resource.spec.rules).filter(isObject);
    return rules.findLastIndex((rule) => canonical(asArray(rule.matches)) === canonical(matches));
  });
}

/**
 * What `from` items of one kind come to for each group of clients that they name, once: the conf of a client that is in
 * that group alone. There is no table of all combinations (docs/design/access.md#the-from-shape).
 *
 *   [Mesh {a: 1}, MeshSubset {env: dev} {b: 1}]  ->  [Mesh: {a: 1}, MeshSubset {env: dev}: {a: 1, b: 1}]
 */
export function fromRules(type: string, matches: readonly SelectingPolicy[]): FromRule[] {
  const policies = wholly(matches).map((policy) => (kindOf(type).fromAsRules ? withFrom(policy) : policy));
  const items = fromItems(policies);
  const refs = new Map(
    items.map(({ targetRef: ref, policy }) => {
      const meant: TargetRef<FromKind> = isEverybody(ref) ? { kind: 'Mesh', ...(ref.mesh === undefined ? {} : { mesh: ref.mesh }) } : ref;
      return [canonical(meant as unknown as JsonObject), { ref: meant, mesh: ref.mesh ?? policy.resource.key.mesh }];
    }),
  );
  return [...refs.values()].flatMap(({ ref, mesh }) => {
    // What everybody of the mesh has, and what the group has.
    const merged = mergeFrom(type, items, [`spiffe://${mesh}/`, ...requiredSans(ref, mesh)]);
    return merged ? [{ ...merged, targetRef: ref }] : [];
  });
}

function withFrom(policy: Policy): Policy {
  const { resource } = policy;
  const rules = asArray(resource.spec.rules)
    .filter(isObject)
    .filter(({ matches }) => asArray(matches).length === 0);
  const from = [...asArray(resource.spec.from), ...rules.map((rule) => ({ targetRef: { kind: 'Mesh' }, default: rule.default }))];
  return { ...policy, resource: { ...resource, spec: { ...resource.spec, from } } };
}
