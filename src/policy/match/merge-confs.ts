import { asArray, asObject, isArray } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { keyId } from '../../resource/key.ts';
import { isObject } from '../../resource/field-path.ts';
import { findKind, isRoute } from '../../resource/kinds.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import type { Policy } from './policy.ts';

/** What a policy of one kind comes to, and who contributed, in order. */
export interface MergedConf {
  readonly conf: JsonObject;
  readonly origins: readonly Key[];
}

/** A conf with the policy that it is from. */
export interface PolicyConf {
  readonly policy: Policy;
  readonly conf: JsonObject;
}

/**
 * Merges the parts of one kind of policy, the first one weakest; shadow policies are left out. undefined: there are
 * none.
 */
export function mergeParts(type: string, parts: readonly PolicyConf[]): MergedConf | undefined {
  const enforced = parts.filter(({ policy }) => !policy.shadow);
  if (enforced.length === 0) return undefined;
  const conf = enforced.map((part) => part.conf).reduce((weaker, stronger) => mergeConfs(type, weaker, stronger));
  return { conf, origins: originsOf(enforced) };
}

function originsOf(parts: readonly Pick<PolicyConf, 'policy'>[]): Key[] {
  return [...new Map(parts.map(({ policy: { resource } }) => [keyId(resource.key), resource.key])).values()];
}

/**
 * One conf over another (docs/design/matching.md#merging): field by field, later wins, lists replace. `null` is as good
 * as absent.
 *
 *   {http: {a: 1, b: 1}, list: [1], appendX: [1]}  under  {http: {b: 2}, list: [2], appendX: [2]}
 *   -> {http: {a: 1, b: 2}, list: [2], appendX: [1, 2]}
 */
export function mergeConfs(type: string, weaker: JsonObject, stronger: JsonObject): JsonObject {
  const merged = new Map(Object.entries(weaker));
  for (const [field, value] of Object.entries(stronger)) {
    if (value === undefined || value === null) continue;
    merged.set(field, mergeField(type, field, merged.get(field), value));
  }
  // Not by assignment: a user's field may be called __proto__.
  return Object.fromEntries(merged);
}

function mergeField(type: string, field: string, weaker: JsonValue | undefined, stronger: JsonValue): JsonValue {
  if (isObject(weaker) && isObject(stronger)) return mergeConfs(type, weaker, stronger);
  if (!isArray(weaker) || !isArray(stronger)) return stronger;
  // The rules of routes are merged by their `matches`.
  if (field === 'rules' && isRoute(type)) return mergeRules(type, weaker, stronger);
  return field.startsWith('append') || findKind(type)?.concat.includes(field) ? [...weaker, ...stronger] : stronger;
}

/** Rules of the same `matches` are one rule; others stand side by side, in the order in which they came up. */
function mergeRules(type: string, weaker: readonly JsonValue[], stronger: readonly JsonValue[]): JsonValue[] {
  const rules = new Map<string, JsonObject>();
  for (const rule of [...weaker, ...stronger].map((value) => asObject(value) ?? {})) {
    const matches = canonical(asArray(rule.matches));
    const earlier = rules.get(matches);
    rules.set(matches, earlier ? mergeConfs(type, earlier, rule) : rule);
  }
  return [...rules.values()];
}

/** A text that is equal exactly when two values are, whatever the order of their fields. */
export function canonical(value: JsonValue | undefined): string {
  if (isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value ?? null);
  const fields = Object.keys(value).filter((field) => value[field] !== undefined);
  return `{${fields
    .sort()
    .map((field) => `${JSON.stringify(field)}:${canonical(value[field])}`)
    .join(',')}}`;
}
