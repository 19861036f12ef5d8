import { foldMatch, type MatchCases, type StringMatch } from '../../resource/string-match.ts';
import { otherSpellings } from '../decide/path-spellings.ts';
import { allOf, anyOf, type RbacEffect, METHOD, not, PATH, type Predicate, reads } from './envoy-matchers.ts';

/** What a matcher may ask of the request. */
export interface RequestMatch {
  readonly method?: string | undefined;
  readonly path?: StringMatch | undefined;
}

/**
 * What a matcher asks of the request; undefined: nothing. Envoy sees the path with its query, so that a path ends at
 * `?` too; `#` is there for listeners that aren't ours, which may let it pass.
 *
 *   {method: GET, path: Prefix /v2}  ->  :method is GET, and :path is /v2 or begins with /v2/, /v2? or /v2#
 */
export function conditionOf({ method, path }: RequestMatch, effect: RbacEffect): Predicate | undefined {
  if (method === undefined && path === undefined) return undefined;
  const methods = method === undefined ? [] : [isMethod(method)];
  const paths = path === undefined ? [] : [PATH_OF[effect](path)];
  const [first, ...others] = [...methods, ...paths];
  return first && allOf([first, ...others]);
}

/** What a deny holds for: the path, what may be another spelling of it, and a request without one. */
function mayBePath(path: StringMatch): Predicate {
  return anyOf([isPath(path), ...otherSpellings(path).map((prefix) => reads(PATH, { prefix })), NO_PATH]);
}

const PATH_OF: Readonly<Record<RbacEffect, (path: StringMatch) => Predicate>> = { ALLOW: isPath, DENY: mayBePath };

/** A request without a path (CONNECT): a deny can't tell, and holds. */
export const NO_PATH: Predicate = not(reads(PATH, { prefix: '/' }));

export function isMethod(method: string): Predicate {
  return reads(METHOD, { exact: method });
}

export function isPath(path: StringMatch): Predicate {
  return foldMatch(path, PATHS);
}

const PATHS: MatchCases<Predicate> = { Exact: (path) => anyOf(whole(path)), Prefix: startsWith };

function startsWith(start: string): Predicate {
  const below = reads(PATH, { prefix: `${start}/` });
  return start === '' ? below : anyOf([...whole(start), below]);
}

function whole(path: string): [Predicate, ...Predicate[]] {
  return [reads(PATH, { exact: path }), reads(PATH, { prefix: `${path}?` }), reads(PATH, { prefix: `${path}#` })];
}
