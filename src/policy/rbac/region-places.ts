import type { Permission } from '../decide/read-permissions.ts';
import {
  holdsOthers,
  outerFirst,
  pathId,
  type RegionPath,
  type RoutedMatch,
  type RoutedMatches,
  RuleCount,
  rulesIn,
} from './routed-matches.ts';

/** A permission where it is about requests of a region; `certain`: it can be told, else only its denies count. */
export interface AppliedHere {
  readonly permission: Permission;
  readonly certain: boolean;
}

/** The requests of an inbound that the same permissions are about, as surely: the decision about them is one. */
export interface DecidedRegion {
  /** The first path and method of them: so that it is found again when other permissions change. */
  readonly name: string;
  /** In order. */
  readonly applied: readonly AppliedHere[];
}

/** A path, and what decides its requests: by their method, and those of all other methods. */
export interface RegionPlace {
  /** undefined: all requests with a path. */
  readonly path: RegionPath | undefined;
  readonly methods: ReadonlyMap<string, DecidedRegion>;
  readonly others: DecidedRegion;
}

/**
 * What decides at each path. A decision about the same permissions is one object. Throws `too_large` where the rules of
 * all places together are too many.
 */
export class Places {
  readonly #permissions: readonly Permission[];
  readonly #matches: RoutedMatches;
  /** Longer than any path that is there, so that none holds it. */
  readonly #other: string;
  readonly #unrouted: readonly number[];
  readonly #unroutedRules: number;
  readonly #count: RuleCount;
  readonly #known = new Map<string, DecidedRegion>();

  constructor(permissions: readonly Permission[], matches: RoutedMatches, callers: number, sharing = 1) {
    this.#count = new RuleCount(sharing);
    this.#permissions = permissions;
    this.#matches = matches;
    this.#other = '-'.repeat(1 + matches.paths.reduce((longest, { value }) => Math.max(longest, value.length), 0));
    this.#unrouted = permissions.flatMap(({ via }, place) => (via === undefined ? [place] : []));
    this.#unroutedRules = permissions.reduce((sum, one) => sum + (one.via === undefined ? rulesIn(one) : 0), callers);
  }

  at(path: RegionPath | undefined): RegionPlace {
    const found = [...this.#matches.meeting(this.#sample(path))];
    const decided = (asked: string | undefined) => this.#decided(path, asked, found);
    const others = decided(undefined);
    const methods = [...new Set(found.flatMap(({ method }) => method ?? []))].map((method) => [method, decided(method)] as const);
    return { path, methods: new Map(methods.filter(([, one]) => one !== others)), others };
  }

  /** Without a path it can't be told through which routes a request comes. */
  pathless(): DecidedRegion {
    return this.#decided(undefined, 'CONNECT', [...this.#matches.pathless()]);
  }

  /**
   * The places of all paths but those where everything is decided as it is around them: groups that are decided alike
   * and apart from one another, what lies within another group before it.
   */
  below(root: RegionPlace): (readonly [RegionPlace, ...RegionPlace[]])[] {
    const kept = new Map<string, { readonly place: RegionPlace; readonly depth: number }>();
    for (const path of this.#matches.paths.sort(outerFirst)) {
      const around = this.#matches.around(path).flatMap((outer) => kept.get(pathId(outer)) ?? [])[0] ?? { place: root, depth: 0 };
      const place = this.at(path);
      if (!isAlike(place, around.place)) kept.set(pathId(path), { place, depth: holdsOthers(path.type) ? around.depth + 1 : Infinity });
    }
    const groups = new Map<string, [RegionPlace, ...RegionPlace[]]>();
    for (const { place, depth } of [...kept.values()].sort((a, b) => (a.depth === b.depth ? 0 : b.depth - a.depth))) {
      const id = JSON.stringify([depth, place.others.name, [...place.methods].map(([method, { name }]) => [method, name])]);
      const group = groups.get(id);
      if (group) group.push(place);
      else groups.set(id, [place]);
    }
    return [...groups.values()];
  }

  #sample(path: RegionPath | undefined): string {
    switch (path?.type) {
      case undefined:
        return `/${this.#other}`;
      case 'Exact':
        return path.value;
      case 'Prefix':
        return `${path.value}/${this.#other}`;
      case 'Begins':
        return path.value + this.#other;
    }
  }

  #decided(path: RegionPath | undefined, asked: string | undefined, found: readonly RoutedMatch[]): DecidedRegion {
    const routed = new Map<number, boolean>();
    for (const { place, method, certain } of found) {
      if (method === undefined || method === asked) routed.set(place, certain || routed.get(place) === true);
    }
    this.#count.add(this.#unroutedRules + [...routed.keys()].reduce((sum, place) => sum + this.#rulesAt(place), 0));
    const id = JSON.stringify([...routed].sort(([a], [b]) => a - b));
    const known = this.#known.get(id) ?? { name: JSON.stringify([path, asked]), applied: this.#applied(routed) };
    this.#known.set(id, known);
    return known;
  }

  #rulesAt(place: number): number {
    const permission = this.#permissions[place];
    return permission ? rulesIn(permission) : 0;
  }

  #applied(routed: ReadonlyMap<number, boolean>): AppliedHere[] {
    return [...this.#unrouted, ...routed.keys()]
      .sort((a, b) => a - b)
      .flatMap((place) => {
        const permission = this.#permissions[place];
        return permission ? [{ permission, certain: routed.get(place) ?? true }] : [];
      });
  }
}

/** Where nothing of a request can be seen. Throws `too_large` as `Places` does. */
export function decidedUnseen(permissions: readonly Permission[], callers: number, sharing: number): DecidedRegion {
  new RuleCount(sharing).add(permissions.reduce((sum, one) => sum + rulesIn(one), callers));
  return { name: '', applied: permissions.map((permission) => ({ permission, certain: permission.via === undefined })) };
}

function isAlike(one: RegionPlace, other: RegionPlace): boolean {
  if (one.others !== other.others || one.methods.size !== other.methods.size) return false;
  return [...one.methods].every(([method, decided]) => other.methods.get(method) === decided);
}
