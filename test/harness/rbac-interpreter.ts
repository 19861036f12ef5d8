import type { JsonObject, JsonValue } from '../../src/resource/resource.ts';

/**
 * Envoy's side of the agreement, for specs: decides a request by the JSON of an RBAC as Envoy documents it, without
 * anything of the compiler. What it doesn't know it throws at.
 */

/**
 * A request as it is on the wire: SANs in the certificate's order, `path` with its query, undefined where there is
 * none.
 */
export interface Wire {
  readonly sans: readonly string[];
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  /** What the listener says of the connection, by key; nothing where it is somebody else's. */
  readonly said?: Readonly<Record<string, string>>;
}

export interface RbacOutcome {
  readonly action: 'Allow' | 'Deny';
  /** The name of the action or policy that decided. */
  readonly name: string;
}

/**
 * `side`: `matcher` and `rules`, or their shadow; where there is none, it is what is enforced
 * (docs/design/access.md#the-shadow-side).
 */
export function decideByRbac(rbac: JsonObject, side: 'enforced' | 'shadow', wire: Wire): RbacOutcome {
  const isEnforced = side === 'enforced' || (rbac.shadowMatcher === undefined && rbac.shadowRules === undefined);
  const [matcher, rules] = isEnforced ? [rbac.matcher, rbac.rules] : [rbac.shadowMatcher, rbac.shadowRules];
  if (matcher !== undefined) return byMatcher(object(matcher), wire);
  // Without either, the filter lets everything pass.
  return rules === undefined ? { action: 'Allow', name: '' } : byRules(object(rules), wire);
}

function byRules(rules: JsonObject, wire: Wire): RbacOutcome {
  const action = text(rules.action ?? 'ALLOW');
  if (action !== 'ALLOW') throw new Error(`action ${action}`);
  const found = Object.entries(object(rules.policies ?? {})).find(([, policy]) => {
    const { permissions, principals } = object(policy);
    return nonEmpty(permissions).some(isAny) && nonEmpty(principals).some((principal) => isPrincipal(object(principal), wire));
  });
  return found ? { action: 'Allow', name: found[0] } : { action: 'Deny', name: '' };
}

function isAny(permission: JsonValue): boolean {
  return object(permission).any === true;
}

function isPrincipal(principal: JsonObject, wire: Wire): boolean {
  const [kind, value] = only(principal);
  if (kind === 'andIds') return nonEmpty(object(value).ids).every((id) => isPrincipal(object(id), wire));
  if (kind === 'orIds') return nonEmpty(object(value).ids).some((id) => isPrincipal(object(id), wire));
  if (kind === 'notId') return !isPrincipal(object(value), wire);
  if (kind === 'custom') return hasSan(object(object(value).typedConfig), wire);
  throw new Error(`principal ${kind}`);
}

/** Of mutual TLS: one of the SANs of the type. */
function hasSan({ '@type': type, sanMatcher }: JsonObject, { sans }: Wire): boolean {
  const { sanType, matcher } = object(sanMatcher);
  if (!text(type).endsWith('.mtls_authenticated.v3.Config') || sanType !== 'URI')
    throw new Error(`principal ${text(type)} ${text(sanType)}`);
  return sans.some((san) => compares(object(matcher), san));
}

/** A matcher that finds nothing denies. */
function byMatcher(matcher: JsonObject, wire: Wire): RbacOutcome {
  const action = walk(matcher, wire);
  if (!action) return { action: 'Deny', name: '' };
  const { name, action: effect } = object(action.typedConfig);
  return { action: (effect ?? 'ALLOW') === 'ALLOW' ? 'Allow' : 'Deny', name: text(name) };
}

function walk(matcher: JsonObject, wire: Wire): JsonObject | undefined {
  const found = matcher.matcherList ? inList(object(matcher.matcherList), wire) : undefined;
  const looked = matcher.matcherTree ? inTree(object(matcher.matcherTree), wire) : undefined;
  return found ?? looked ?? (matcher.onNoMatch === undefined ? undefined : follow(object(matcher.onNoMatch), wire));
}

function follow(onMatch: JsonObject, wire: Wire): JsonObject | undefined {
  const [kind, value] = only(onMatch);
  return kind === 'action' ? object(value) : walk(object(value), wire);
}

function inList(list: JsonObject, wire: Wire): JsonObject | undefined {
  for (const entry of nonEmpty(list.matchers)) {
    const { predicate, onMatch } = object(entry);
    const action = holds(object(predicate), wire) ? follow(object(onMatch), wire) : undefined;
    if (action) return action;
  }
  return undefined;
}

function inTree(tree: JsonObject, wire: Wire): JsonObject | undefined {
  const input = read(object(tree.input), wire);
  const map = object(object(tree.exactMatchMap ?? tree.prefixMatchMap).map);
  if (Object.keys(map).length === 0) throw new Error('an empty map');
  if (input === undefined) return undefined;
  const keys = tree.exactMatchMap ? (Object.hasOwn(map, input) ? [input] : []) : Object.keys(map).filter((key) => input.startsWith(key));
  for (const key of keys.sort((a, b) => b.length - a.length)) {
    const action = follow(object(map[key]), wire);
    if (action) return action;
  }
  return undefined;
}

function holds(predicate: JsonObject, wire: Wire): boolean {
  const [kind, value] = only(predicate);
  if (kind === 'andMatcher') return several(value).every((part) => holds(object(part), wire));
  if (kind === 'orMatcher') return several(value).some((part) => holds(object(part), wire));
  if (kind === 'notMatcher') return !holds(object(value), wire);
  if (kind !== 'singlePredicate') throw new Error(`predicate ${kind}`);
  const input = read(object(object(value).input), wire);
  return input !== undefined && compares(object(object(value).valueMatch), input);
}

/** Envoy refuses lists with one predicate. */
function several(value: JsonValue): readonly JsonValue[] {
  const list = nonEmpty(object(value).predicate);
  if (list.length < 2) throw new Error('a list with one predicate');
  return list;
}

function read(input: JsonObject, { sans, method, path, said = {} }: Wire): string | undefined {
  const config = object(input.typedConfig);
  const type = text(config['@type']).replace('type.googleapis.com/', '');
  if (type === 'envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput') return sans.length === 0 ? undefined : sans.join(',');
  if (type === 'envoy.extensions.matching.common_inputs.network.v3.FilterStateInput') return said[text(config.key)];
  if (type !== 'envoy.type.matcher.v3.HttpRequestHeaderMatchInput') throw new Error(`input ${type}`);
  return config.headerName === ':method' ? method : config.headerName === ':path' ? path : undefined;
}

function compares(matcher: JsonObject, value: string): boolean {
  const [kind, wanted] = only(matcher);
  const sought = text(wanted);
  if (kind === 'exact') return value === sought;
  if (sought === '') throw new Error(`an empty ${kind}`);
  if (kind === 'prefix') return value.startsWith(sought);
  if (kind === 'suffix') return value.endsWith(sought);
  if (kind === 'contains') return value.includes(sought);
  throw new Error(`text ${kind}`);
}

function only(value: JsonObject): readonly [string, JsonValue] {
  const [first, ...others] = Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, item] as const]));
  if (!first || others.length > 0) throw new Error(`one field, not ${Object.keys(value).join(', ')}`);
  return first;
}

function object(value: JsonValue | undefined): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return value as JsonObject;
}

function nonEmpty(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error(`not a list with something in it: ${JSON.stringify(value)}`);
  return value as readonly JsonValue[];
}

function text(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw new Error(`not a text: ${JSON.stringify(value)}`);
  return value;
}
