import type { JsonObject } from '../../resource/resource.ts';
import { asMeridianError } from '../../errors.ts';
import type { Permission } from '../decide/read-permissions.ts';
import type { Inbound } from '../match/read-proxy.ts';
import { allOf, anyOf, PATH, type Predicate, reads } from './envoy-matchers.ts';
import { decidedUnseen, type DecidedRegion, type RegionPlace, Places } from './region-places.ts';
import { isMethod, isPath, NO_PATH } from './request-condition.ts';
import { MOST_RULES, type RegionPath, RoutedMatches, rulesIn } from './routed-matches.ts';

/** Some requests of an inbound, by path and method, and what decides them. */
export interface Region {
  /** Whether a request is of it, if it is of none before; undefined: all that are left are. */
  readonly predicate: Predicate | undefined;
  /** The same as RouteMatches: a request is of it that meets one. */
  readonly routes: readonly JsonObject[];
  readonly decided: DecidedRegion;
}

/**
 * Divides the requests of an HTTP inbound by the routes that its permissions target; a request is of the first region
 * that it meets. Beginnings of paths lie within each other or apart, so that the longest says all that there is to know
 * about a path. What is decided as it would be without the path is no place of its own, and places apart from one
 * another that are decided alike are one region.
 *
 *   /v2, GET /v2/x, GET  ->  GET /v2/x,  /v2/x,  GET /v2,  /v2,  GET,  all that are left
 *   /a, /b of one permission  ->  /a or /b,  all that are left
 *
 * Throws `too_large` when the rules of all places come to more than can be sent (`MOST_RULES`); `callers`: how many
 * callers access policies decide about at each. `sharing`: listeners of a gateway that have one port.
 */
export function regionsOf(permissions: readonly Permission[], callers = 0, sharing = 1): Region[] {
  const matches = new RoutedMatches(permissions);
  const places = new Places(permissions, matches, callers, sharing);
  const root = places.at(undefined);
  const left: Region = { predicate: undefined, routes: [EVERY_PATH], decided: root.others };
  if (matches.isEmpty) return [left];
  const pathless: Region = { predicate: NO_PATH, routes: [], decided: places.pathless() };
  const anywhere = [...root.methods].map(([method, decided]) => toRegion([], method, decided));
  return [pathless, ...places.below(root).flatMap(regionsAt), ...anywhere, left];
}

/** TCP has but one region: no request of it can be told from another. Throws `too_large` as `regionsOf` does. */
export function everything(permissions: readonly Permission[], callers: number, sharing = 1): Region {
  return { predicate: undefined, routes: [], decided: decidedUnseen(permissions, callers, sharing) };
}

/**
 * Why an inbound that these permissions select is shut for their number, or for that of the callers about whom access
 * policies decide there; undefined: they fit. Nothing is compiled.
 */
export function whyTooMany(
  permissions: readonly Permission[],
  { protocol, sharing = 1 }: Pick<Inbound, 'protocol' | 'sharing'>,
  callers: number,
): string | undefined {
  const isDivided = permissions.some(({ via }) => via !== undefined);
  const rules = permissions.reduce((sum, one) => sum + rulesIn(one), callers);
  if (!isDivided && rules * sharing <= MOST_RULES) return undefined;
  try {
    if (protocol === 'http') regionsOf(permissions, callers, sharing);
    else everything(permissions, callers, sharing);
    return undefined;
  } catch (thrown) {
    const { code, message } = asMeridianError(thrown);
    if (code !== 'too_large') throw thrown;
    return message;
  }
}

/** In: places of which no request is of two, and that are decided alike. */
function regionsAt(alike: readonly [RegionPlace, ...RegionPlace[]]): Region[] {
  const [{ methods, others }] = alike;
  const paths = alike.flatMap(({ path }) => path ?? []);
  return [...[...methods].map(([method, decided]) => toRegion(paths, method, decided)), toRegion(paths, undefined, others)];
}

function toRegion(paths: readonly RegionPath[], method: string | undefined, decided: DecidedRegion): Region {
  const [path, ...otherPaths] = paths.map(toPredicate);
  const [first, ...others] = [...(path ? [anyOf([path, ...otherPaths])] : []), ...(method === undefined ? [] : [isMethod(method)])];
  const headers = method === undefined ? {} : { headers: [{ name: ':method', stringMatch: { exact: method } }] };
  const routes = paths.length === 0 ? [EVERY_PATH] : paths.map(toRoute);
  return { predicate: first && allOf([first, ...others]), routes: routes.map((route) => ({ ...route, ...headers })), decided };
}

function toPredicate({ type, value }: RegionPath): Predicate {
  return type === 'Begins' ? reads(PATH, { prefix: value }) : isPath({ type, value });
}

function toRoute({ type, value }: RegionPath): JsonObject {
  switch (type) {
    case 'Exact':
      return { path: value };
    case 'Prefix':
      return value === '' ? EVERY_PATH : { pathSeparatedPrefix: value };
    case 'Begins':
      return { prefix: value };
  }
}

const EVERY_PATH: JsonObject = { prefix: '/' };
