import { asArray, asObject } from '../../naming/json.ts';
import { isObject } from '../../resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import { check } from '../../resource/schema/check-schema.ts';
import { FROM, type FromKind, type TargetRef } from '../../resource/schema/reference-kinds.ts';
import { isAbsent, targetRef } from '../../resource/schema/target-ref.ts';
import { isClient } from './client-sans.ts';
import { canonical, type MergedConf, mergeParts, type PolicyConf } from './merge-confs.ts';
import type { Policy } from './policy.ts';

/** An item of `from`. */
export interface FromConf extends PolicyConf {
  readonly targetRef: TargetRef<FromKind>;
}

/** What `rules` say for requests of these `matches`; an absent list is for all. */
export interface MergedRule extends MergedConf {
  readonly matches: readonly JsonValue[];
}

const MESH: TargetRef<FromKind> = { kind: 'Mesh' };
const FROM_SCHEMA = targetRef(FROM, {});

/** Every item of `from` of policies of one kind, the weakest first: the policies' order, then that of their lists. */
export function fromItems(policies: readonly Policy[]): FromConf[] {
  return policies.flatMap((policy) => asArray(policy.resource.spec.from).flatMap((item) => readItem(policy, item)));
}

function readItem(policy: Policy, value: JsonValue): FromConf[] {
  const item = asObject(value) ?? {};
  const ref = isAbsent(item.targetRef ?? undefined) ? MESH : check(FROM_SCHEMA, item.targetRef, []).data;
  return ref?.kind === undefined ? [] : [{ policy, targetRef: { ...ref, kind: ref.kind }, conf: asObject(item.default) ?? {} }];
}

/**
 * What policies of one kind say of requests of the client with these URI SANs (src/policy/match/client-sans.ts).
 * undefined: nothing.
 *
 *   [Mesh {action: DENY}, MeshSubset {env: dev} {action: ALLOW}]  for a client with kuma://env/dev  ->  {action: ALLOW}
 */
export function mergeFrom(type: string, items: readonly FromConf[], sans: readonly string[]): MergedConf | undefined {
  return mergeParts(
    type,
    items.filter(({ targetRef: ref, policy }) => isClient(ref, policy.resource.key.mesh, sans)),
  );
}

/** What `rules` of policies of one kind come to: one rule for each list of `matches`, the weaker ones first. */
export function mergeRules(type: string, policies: readonly Policy[]): MergedRule[] {
  const groups = new Map<string, { matches: readonly JsonValue[]; parts: PolicyConf[] }>();
  for (const policy of policies) {
    for (const rule of asArray(policy.resource.spec.rules).filter(isObject)) {
      const matches = asArray(rule.matches);
      const group = groups.get(canonical(matches)) ?? { matches, parts: [] };
      group.parts.push({ policy, conf: asObject(rule.default) ?? {} });
      groups.set(canonical(matches), group);
    }
  }
  return [...groups.values()].flatMap(({ matches, parts }) => {
    const merged = mergeParts(type, parts);
    return merged ? [{ matches, ...merged }] : [];
  });
}

/**
 * What policies with one `default` for the whole proxy come to; for MeshTrafficPermission, for the inbound. undefined:
 * nothing.
 */
export function mergeSingle(type: string, policies: readonly Policy[]): MergedConf | undefined {
  return mergeParts(type, policies.flatMap(toPart));
}

function toPart(policy: Policy): PolicyConf[] {
  const conf: JsonObject | undefined = asObject(policy.resource.spec.default);
  return conf ? [{ policy, conf }] : [];
}
