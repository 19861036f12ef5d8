import { matchersOf, fromItemsOf } from '../../resource/permission-actions.ts';
import { foldMatch, MATCH_TYPES, type MatchCases, type StringMatch } from '../../resource/string-match.ts';
import { MeridianError } from '../../errors.ts';
import { otherSpellings } from '../decide/path-spellings.ts';
import type { Permission } from '../decide/read-permissions.ts';

/**
 * What the rules of one inbound may come to (docs/enforcement.md#how-many-rules-fit): its rules, counted again for each
 * path and method that targeted routes tell apart, since each gets the complete decision. Measured with an Envoy of
 * 1.40.
 */
export const MOST_RULES = 50_000;

const PATH_TYPES = [...MATCH_TYPES, 'Begins'] as const;

type PathType = (typeof PATH_TYPES)[number];

/** A path of a route; `Begins`: what may be another spelling of one, letter by letter. */
export interface RegionPath {
  readonly type: PathType;
  readonly value: string;
}

const HOLDS_OTHERS: Readonly<Record<PathType, boolean>> = { Begins: true, Prefix: true, Exact: false };
/** How narrow a type is among paths of one value. */
const NARROWNESS: Readonly<Record<PathType, number>> = { Begins: 0, Prefix: 1, Exact: 2 };

/** A match of a route that a permission targets. */
export interface RoutedMatch {
  /** Of the permission, in order. */
  readonly place: number;
  readonly method: string | undefined;
  /** Whether a request that meets it comes this way, or only may. */
  readonly certain: boolean;
}

const SPELLINGS: MatchCases<RegionPath> = {
  Exact: (value) => ({ type: 'Exact', value }),
  Prefix: (value) => ({ type: 'Prefix', value }),
};

/** The matches of the routes that permissions target, found by the paths that meet them: no need to ask each. */
export class RoutedMatches {
  /** Each list holds nothing twice: a route may have thousands of matches of one path. */
  readonly #everywhere = new Map<string, RoutedMatch>();
  readonly #byPath = new Map<string, { readonly path: RegionPath; readonly here: Map<string, RoutedMatch> }>();
  readonly #lengths = new Set<number>();
  /** The values that a path of each type may have, so that it meets a path without query. */
  readonly #values: Readonly<Record<PathType, (path: string) => readonly string[]>> = {
    Exact: (path) => [path],
    Prefix: (path) => [...slashesIn(path).map((slash) => path.slice(0, slash)), path],
    Begins: (path) => Array.from(this.#lengths, (length) => path.slice(0, length)),
  };

  constructor(permissions: readonly Permission[]) {
    for (const [place, { via = [] }] of permissions.entries()) {
      for (const { matches, certain: isWay } of via) {
        for (const { method, path, certain } of matches) this.#add(path, { place, method, certain: certain && isWay });
      }
    }
  }

  /** Each once, in the order of what names them. */
  get paths(): RegionPath[] {
    return [...this.#byPath.values()].map(({ path }) => path);
  }

  get isEmpty(): boolean {
    return this.#everywhere.size + this.#byPath.size === 0;
  }

  /** Those that a path without query meets, or may. */
  *meeting(path: string): Generator<RoutedMatch> {
    yield* this.#everywhere.values();
    for (const type of PATH_TYPES) for (const value of this.#values[type](path)) yield* this.#at({ type, value });
  }

  /** The beginnings that a path lies within, the innermost first. */
  around({ type, value }: RegionPath): RegionPath[] {
    const meeting = PATH_TYPES.filter(holdsOthers).flatMap((outer) =>
      this.#values[outer](value).map((start) => ({ type: outer, value: start })),
    );
    return meeting.filter((outer) => outer.value !== value || NARROWNESS[outer.type] < NARROWNESS[type]).sort(innerFirst);
  }

  /** Those of a request without a path: whoever asks for one may mean it. */
  *pathless(): Generator<RoutedMatch> {
    yield* this.#everywhere.values();
    for (const { here } of this.#byPath.values()) for (const match of here.values()) yield { ...match, certain: false };
  }

  #add(match: StringMatch | undefined, routed: RoutedMatch): void {
    if (!match) return put(this.#everywhere, routed);
    this.#put(foldMatch(match, SPELLINGS), routed);
    for (const value of otherSpellings(match)) {
      this.#lengths.add(value.length);
      this.#put({ type: 'Begins', value }, { ...routed, certain: false });
    }
  }

  #put(path: RegionPath, routed: RoutedMatch): void {
    const found = this.#byPath.get(pathId(path)) ?? { path, here: new Map<string, RoutedMatch>() };
    put(found.here, routed);
    this.#byPath.set(pathId(path), found);
  }

  #at(path: RegionPath): Iterable<RoutedMatch> {
    return this.#byPath.get(pathId(path))?.here.values() ?? [];
  }
}

function put(here: Map<string, RoutedMatch>, routed: RoutedMatch): void {
  here.set(`${routed.place} ${routed.method ?? ''} ${String(routed.certain)}`, routed);
}

function slashesIn(path: string): number[] {
  return [...path.matchAll(/\//g)].map(({ index }) => index);
}

function innerFirst(a: RegionPath, b: RegionPath): number {
  return b.value.length - a.value.length || NARROWNESS[b.type] - NARROWNESS[a.type];
}

/** What may lie around another comes before it. */
export function outerFirst(a: RegionPath, b: RegionPath): number {
  return Number(holdsOthers(b.type)) - Number(holdsOthers(a.type)) || innerFirst(b, a);
}

/** Whether other paths may lie within one of this type. */
export function holdsOthers(type: PathType): boolean {
  return HOLDS_OTHERS[type];
}

export function pathId({ type, value }: RegionPath): string {
  return `${type} ${value}`;
}

/** How many rules a permission is. */
export function rulesIn({ mtp }: Permission): number {
  return 1 + matchersOf(mtp).length + fromItemsOf(mtp).length;
}

/** Counts what an inbound's rules come to. Throws `too_large` as soon as they are too many. */
export class RuleCount {
  readonly #most: number;
  #count = 0;

  /** `sharing`: how many listeners of a gateway have one port; each takes its part of what one inbound takes. */
  constructor(sharing: number) {
    this.#most = Math.floor(MOST_RULES / sharing);
  }

  add(rules: number): void {
    this.#count += rules;
    if (this.#count <= this.#most) return;
    throw new MeridianError('too_large', `its rules come to more than ${this.#most}: ${TOO_MANY}`, { hint: TOO_MANY });
  }
}

const TOO_MANY = 'target routes with fewer matches, or name callers by a prefix';
