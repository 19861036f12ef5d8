import type { z } from 'zod';
import { isObject } from './field-path.ts';
import type { JsonObject, JsonValue } from './resource.ts';
import { check } from './schema/check-schema.ts';
import { storedHttpMatch } from './schema/http-match.ts';
import type { MatchType, StringMatch } from './string-match.ts';

/** What a route asks of a request, as far as it is looked at here: of method and path. */
export interface RouteMatch {
  readonly method?: string;
  readonly path?: StringMatch;
  /**
   * Whether that is all it asks. If not (headers, query parameters, a regular expression, what can't be read), it may
   * be less.
   */
  readonly certain: boolean;
}

export const EVERY_REQUEST: RouteMatch = { certain: true };
/** A request may meet it or not. */
const UNTOLD: RouteMatch = { certain: false };

export type HttpRouteMatch = z.infer<typeof storedHttpMatch>;

/** How a path of each type is compared here; undefined: it is not. */
const PATHS: Readonly<Record<NonNullable<HttpRouteMatch['path']>['type'], MatchType | undefined>> = {
  Exact: 'Exact',
  PathPrefix: 'Prefix',
  RegularExpression: undefined,
};

/** What was read, which never changes: thousands of permissions may target one route. */
const known = new WeakMap<JsonObject, RouteMatch>();

/**
 * The `matches` of a route's rule, one of which a request must meet. In: what is stored, which may be older than
 * today's checks. A rule without them is for every request; a match that can't be read may be for any.
 *
 *   [{path: {type: PathPrefix, value: /v2}}]  ->  [{path: Prefix /v2, certain}]
 *   [{paths: {...}}], [{method: get}]         ->  [{not certain}]
 */
export function readMatches(matches: JsonValue | undefined): RouteMatch[] {
  if (matches === undefined || matches === null) return [EVERY_REQUEST];
  if (!Array.isArray(matches) || matches.length === 0) return [UNTOLD];
  return matches.map((match: JsonValue) => (isObject(match) ? routeMatchOf(match) : UNTOLD));
}

/** A match as it is written; undefined: it can't be read. */
export function readHttpMatch(match: JsonValue): HttpRouteMatch | undefined {
  return check<HttpRouteMatch>(storedHttpMatch, match, []).data;
}

function routeMatchOf(match: JsonObject): RouteMatch {
  const read = known.get(match) ?? readMatch(match);
  known.set(match, read);
  return read;
}

function readMatch(match: JsonObject): RouteMatch {
  const { data } = check<HttpRouteMatch>(storedHttpMatch, match, []);
  if (!data) return UNTOLD;
  const { method, path, headers = [], queryParams = [] } = data;
  const type = path && PATHS[path.type];
  return {
    ...(method === undefined ? {} : { method }),
    ...(path && type ? { path: { type, value: path.value } } : {}),
    certain: (path === undefined || type !== undefined) && headers.length + queryParams.length === 0,
  };
}
