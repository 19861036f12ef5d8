import type { JsonObject } from '../../resource/resource.ts';

/**
 * Envoy's messages as proto3 JSON, as far as they are needed here: the Matching API (xds.type.matcher.v3) and RBAC's
 * actions.
 */

export type Predicate = JsonObject;
export type OnMatch = JsonObject;
export type MatcherTree = JsonObject;
export type RbacEffect = 'ALLOW' | 'DENY';

/**
 * A StringMatcher. There are no regular expressions: in a deny one fails open when the input is too long
 * (dependencies.md).
 */
export type TextMatcher =
  | { readonly exact: string }
  | { readonly prefix: string }
  | { readonly suffix: string }
  | { readonly contains: string };

/** What a predicate looks at. */
export type Input = JsonObject;

/** A message inside an Any. */
export function typed(type: string, fields: JsonObject = {}): JsonObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

/** The URI SANs of the client's certificate, joined with commas. */
export const URI_SANS: Input = {
  name: 'envoy.matching.inputs.uri_san',
  typedConfig: typed('envoy.extensions.matching.common_inputs.ssl.v3.UriSanInput'),
};

/**
 * What our own listeners say of each connection where they ask the zone about callers of other zones. No other listener
 * does, so that whatever needs it is no way in there.
 */
export const ASKS_ZONE = { key: 'meridian.asks-zone', value: 'yes' } as const;
export const MARK: Input = {
  name: 'envoy.matching.inputs.filter_state',
  typedConfig: typed('envoy.extensions.matching.common_inputs.network.v3.FilterStateInput', { key: ASKS_ZONE.key }),
};

export const METHOD = header(':method');
/** With the query. */
export const PATH = header(':path');

function header(headerName: string): Input {
  return {
    name: 'envoy.matching.inputs.request_headers',
    typedConfig: typed('envoy.type.matcher.v3.HttpRequestHeaderMatchInput', { headerName }),
  };
}

export function reads(input: Input, valueMatch: TextMatcher): Predicate {
  return { singlePredicate: { input, valueMatch } };
}

/** Envoy refuses lists of one. */
export function anyOf(predicates: readonly [Predicate, ...Predicate[]]): Predicate {
  return predicates.length === 1 ? predicates[0] : { orMatcher: { predicate: predicates } };
}

export function allOf(predicates: readonly [Predicate, ...Predicate[]]): Predicate {
  return predicates.length === 1 ? predicates[0] : { andMatcher: { predicate: predicates } };
}

export function not(predicate: Predicate): Predicate {
  return { notMatcher: predicate };
}

/** Ends the matching. `name` is what Envoy's logs and metrics call the reason. */
export function act(action: RbacEffect, name: string): OnMatch {
  return { action: { name: 'envoy.filters.rbac.action', typedConfig: { '@type': ACTION, name, action } } };
}

const ACTION = 'type.googleapis.com/envoy.config.rbac.v3.Action';

export interface MatchCase {
  readonly predicate: Predicate;
  readonly onMatch: OnMatch;
}

/** The first case that holds. Without `onNoMatch`, what stands around the list goes on. */
export function firstOf(cases: readonly MatchCase[], onNoMatch?: OnMatch): OnMatch {
  if (cases.length === 0 && onNoMatch) return onNoMatch;
  const matchers = cases.map(({ predicate, onMatch }) => ({ predicate, onMatch }));
  return { matcher: { matcherList: { matchers }, ...(onNoMatch ? { onNoMatch } : {}) } };
}

/** The same with an end: what decides without fail needs none. */
export function orElse(first: OnMatch, onNoMatch: OnMatch): OnMatch {
  return 'matcher' in first ? { matcher: { ...(first.matcher as MatcherTree), onNoMatch } } : first;
}

/**
 * The entry of the text itself, or the longest prefix of it; where an entry's own matcher finds nothing, shorter ones,
 * then `onNoMatch`.
 */
export function lookUp(kind: 'exactMatchMap' | 'prefixMatchMap', map: Readonly<Record<string, OnMatch>>, onNoMatch: OnMatch): OnMatch {
  return { matcher: { matcherTree: { input: URI_SANS, [kind]: { map } }, onNoMatch } };
}

/** What stands in an RBAC: a matcher, which may be nothing but its end. */
export function toMatcher(whole: OnMatch): MatcherTree {
  return 'matcher' in whole ? (whole.matcher as MatcherTree) : { onNoMatch: whole };
}
