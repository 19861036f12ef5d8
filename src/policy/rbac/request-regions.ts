import type { JsonObject } from '../../resource/resource.ts';
import type { RouteMatch } from '../../resource/route-match.ts';
import { foldMatch, type MatchCases, type MatchType, matchesText, type StringMatch } from '../../resource/string-match.ts';
import type { Permission } from '../decide/read-permissions.ts';
import type { RequestSubject } from '../decide/read-request.ts';
import { isMethod, isPath, NO_PATH } from './request-condition.ts';
import { allOf, type Predicate } from './envoy-matchers.ts';

/** Requests of an inbound that come through the same of the routes that permissions target. */
export interface Region {
  readonly name: string;
  /** Whether a request is of it, if it is of none before; undefined: all that are left are. */
  readonly predicate: Predicate | undefined;
  /** The same as a RouteMatch; undefined: no route is for it alone. */
  readonly route: JsonObject | undefined;
  /** One of its requests: what is said of it holds for all. */
  readonly sample: Pick<RequestSubject, 'path' | 'method'>;
}

/** Of TCP there is but one. */
export const EVERYTHING: Region = { name: '', predicate: undefined, route: undefined, sample: { path: undefined, method: undefined } };
/** Without a path it can't be told through which routes a request comes. */
const PATHLESS: Region = { ...EVERYTHING, name: 'no path', predicate: NO_PATH, sample: { path: undefined, method: 'CONNECT' } };

/**
 * Divides the requests of an HTTP inbound by the routes that its permissions target; a request is of the first region
 * that it meets. Beginnings of paths lie within each other or apart, so that the longest says all that there is to know
 * about a path.
 *
 *   /v2, GET /v2/x, GET  ->  GET /v2/x,  /v2/x,  GET /v2,  /v2,  GET,  all that are left
 */
export function regionsOf(permissions: readonly Permission[]): Region[] {
  const routed = permissions.filter(({ via }) => via !== undefined);
  const routes = routed.flatMap(({ via = [] }) => via.flatMap(({ matches }) => matches.map(spelled)));
  const other = otherThan(routes);
  const paths = distinct(routes.flatMap(({ path }) => path ?? []));
  const regions = [...paths.sort(bySpecificity), undefined].flatMap((path) => {
    const below = (start: string) => `${start}/${other}`;
    const sample = path ? foldMatch(path, { Exact: (value) => value, Prefix: below }) : below('');
    const here = routes.filter((route) => route.method !== undefined && (!route.path || matchesText(route.path, sample)));
    return [...new Set(here.map(({ method }) => method)), undefined].map((method) =>
      toRegion(path, method, { path: sample, method: other }),
    );
  });
  return routes.length === 0 ? regions : [PATHLESS, ...regions];
}

function toRegion(path: StringMatch | undefined, method: string | undefined, sample: { path: string; method: string }): Region {
  const [first, ...others] = [...(path ? [isPath(path)] : []), ...(method === undefined ? [] : [isMethod(method)])];
  return {
    name: JSON.stringify([path, method]),
    predicate: first && allOf([first, ...others]),
    route: first && toRoute(path, method),
    sample: { ...sample, method: method ?? sample.method },
  };
}

function toRoute(path: StringMatch | undefined, method: string | undefined): JsonObject {
  const headers = method === undefined ? {} : { headers: [{ name: ':method', stringMatch: { exact: method } }] };
  return { ...(path ? foldMatch(path, ROUTE_PATHS) : EVERY_PATH), ...headers };
}

const EVERY_PATH: JsonObject = { prefix: '/' };

const ROUTE_PATHS: MatchCases<JsonObject> = {
  Exact: (path) => ({ path }),
  Prefix: (start) => (start === '' ? EVERY_PATH : { pathSeparatedPrefix: start }),
};

const SPELLINGS: MatchCases<StringMatch> = {
  Exact: (value) => ({ type: 'Exact', value }),
  Prefix: (value) => ({ type: 'Prefix', value }),
};

/** A slash at a prefix's end says nothing. */
function spelled(match: RouteMatch): RouteMatch {
  const { path } = match;
  return path ? { ...match, path: foldMatch(path, SPELLINGS) } : match;
}

/** Longer than any text that is there, so that none holds it. */
function otherThan(routes: readonly RouteMatch[]): string {
  const lengths = routes.map(({ path, method }) => Math.max(path?.value.length ?? 0, method?.length ?? 0));
  return '-'.repeat(1 + lengths.reduce((a, b) => Math.max(a, b), 0));
}

function distinct(paths: readonly StringMatch[]): StringMatch[] {
  return [...new Map(paths.map((path) => [`${path.type} ${path.value}`, path])).values()];
}

function bySpecificity(a: StringMatch, b: StringMatch): number {
  return RANKS[a.type] - RANKS[b.type] || b.value.length - a.value.length;
}

/** The most specific first. */
const RANKS: Readonly<Record<MatchType, number>> = { Exact: 0, Prefix: 1 };
