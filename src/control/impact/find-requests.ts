import type { Permission } from '../../policy/decide/read-permissions.ts';
import { normalisePath, type RequestSubject } from '../../policy/decide/read-request.ts';
import { matchersOf } from '../../resource/permission-actions.ts';
import { foldMatch, matchesText, type StringMatch } from '../../resource/string-match.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** Which requests are meant; what is not said may be anything. */
export interface RequestCondition {
  readonly method?: string;
  /** None of these. */
  readonly methodNot?: readonly string[];
  readonly path?: StringMatch;
  /** None of these. */
  readonly pathNot?: readonly StringMatch[];
  /** Those without a path: CONNECT. */
  readonly noPath?: true;
}

/** Requests that no permission tells apart, and one of them. */
interface RequestClass<T> {
  readonly when: RequestCondition;
  readonly sample: T | undefined;
}

/** What was found of some requests. */
export interface FoundRequests<T> {
  readonly when: RequestCondition;
  readonly value: T;
}

/**
 * Asks about every kind of request that permissions tell apart, and says for which of them what was found; `undefined`
 * is nothing. What holds whatever the method, or whatever the path, is said once.
 *
 *   deny {path: Prefix /admin}, found for what it denies  ->  [{path: Prefix /admin}, ...], [{noPath: true}, ...]
 */
export function* findByRequest<T>(
  permissions: readonly Permission[],
  protocol: RequestSubject['protocol'],
  ask: (request: Pick<RequestSubject, 'method' | 'path'>) => T | undefined,
): Parts<FoundRequests<T>[]> {
  const asked = protocol === 'tcp' ? { methods: [], paths: [] } : askedOf(permissions);
  const [methods, paths] = [methodParts(asked.methods), yield* pathParts(asked.paths)];
  const table: (T | undefined)[][] = [];
  for (const method of methods) {
    const row: (T | undefined)[] = [];
    for (const path of paths) {
      row.push(ask({ method: method.sample, path: path.sample }));
      yield;
    }
    table.push(row);
  }
  const texts = table.map((row) => row.map((value) => JSON.stringify(value)));
  const anyMethod = texts.every((row) => row.every((text, column) => text === texts[0]?.[column]));
  const anyPath = texts.every((row) => row.every((text) => text === row[0]));
  return methods.slice(0, anyMethod ? 1 : undefined).flatMap((method, row) =>
    paths.slice(0, anyPath ? 1 : undefined).flatMap((path, column) => {
      const value = table[row]?.[column];
      return value === undefined ? [] : [{ when: { ...(anyMethod ? {} : method.when), ...(anyPath ? {} : path.when) }, value }];
    }),
  );
}

interface RequestCriteria {
  readonly methods: readonly string[];
  readonly paths: readonly StringMatch[];
}

/** All that matchers and routes ask of a request. */
function askedOf(permissions: readonly Permission[]): RequestCriteria {
  const asked = permissions.flatMap(({ mtp, via = [] }) => [...matchersOf(mtp), ...via.flatMap(({ matches }) => matches)]);
  const paths = asked.flatMap(({ path }) => (path ? [oneSpelling(path)] : []));
  return {
    methods: [...new Set(asked.flatMap(({ method }) => method ?? []))].sort(),
    paths: [...new Map(paths.filter(isPossible).map((path) => [`${path.type} ${path.value}`, path])).values()],
  };
}

/**
 * In one spelling: a slash at a prefix's end says nothing, and below what ends with one more there is nothing in a
 * normalised path.
 */
function oneSpelling(path: StringMatch): StringMatch {
  return foldMatch<StringMatch>(path, {
    Exact: () => path,
    Prefix: (value) => ({ type: value.endsWith('/') ? 'Exact' : 'Prefix', value }),
  });
}

/** Whether there are such paths: normalised, without a query. */
function isPossible(path: StringMatch): boolean {
  return isEvery(path) || normalisePath(path.value) === path.value;
}

/** Whether every path begins so. */
function isEvery(path: StringMatch): boolean {
  return foldMatch(path, { Exact: () => false, Prefix: (start) => start === '' });
}

/** Longer than any text, so that none holds it. */
function otherThan(texts: readonly string[]): string {
  return '-'.repeat(1 + texts.reduce((longest, { length }) => Math.max(longest, length), 0));
}

function methodParts(methods: readonly string[]): RequestClass<string>[] {
  const others: RequestClass<string> = { when: { methodNot: methods }, sample: otherThan(methods) };
  return [...methods.map((method) => ({ when: { method }, sample: method })), others];
}

/** Beginnings of paths lie within each other or apart: a part is what a beginning holds without those within it. */
function* pathParts(paths: readonly StringMatch[]): Parts<RequestClass<string>[]> {
  if (paths.length === 0) return [{ when: {}, sample: '/' }];
  const other = otherThan(paths.map(({ value }) => value));
  const parts: RequestClass<string>[] = [];
  for (const path of paths) {
    const part = foldMatch<RequestClass<string>>(path, {
      Exact: (value) => ({ when: { path }, sample: value }),
      Prefix: (start) => ({ when: beginning(path, paths), sample: `${start}/${other}` }),
    });
    parts.push(part);
    yield;
  }
  const rest: RequestClass<string>[] = paths.some(isEvery) ? [] : [{ when: { pathNot: paths.map(shown) }, sample: `/${other}` }];
  return [...parts, ...rest, { when: { noPath: true }, sample: undefined }];
}

function beginning(path: StringMatch, paths: readonly StringMatch[]): RequestCondition {
  const inner = paths.filter((one) => one !== path && isWithin(one, path)).map(shown);
  return { path: shown(path), ...(inner.length > 0 ? { pathNot: inner } : {}) };
}

function isWithin(inner: StringMatch, outer: StringMatch): boolean {
  return matchesText(outer, inner.value) && foldMatch(inner, { Exact: () => true, Prefix: (start) => start !== outer.value });
}

/** The prefix of all paths as it is written. */
function shown({ type, value }: StringMatch): StringMatch {
  return { type, value: value || '/' };
}
