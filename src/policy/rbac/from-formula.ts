import { decisionOf, fromItemsOf, type VerdictSide } from '../../resource/permission-actions.ts';
import { isEverybody, requiredSans } from '../match/client-sans.ts';
import type { FromKind, TargetRef } from '../../resource/schema/reference-kinds.ts';
import type { RegionPermission } from './applied-permissions.ts';

/** What is asked of a client's certificate: to have a URI SAN, or one that begins so. */
export type Formula =
  | { readonly san: string }
  | { readonly below: string }
  | { readonly all: readonly [Formula, ...Formula[]] }
  | { readonly any: readonly [Formula, ...Formula[]] }
  | { readonly not: Formula };

/** An item of `from`. */
export interface RbacFromItem {
  readonly means: Formula;
  readonly allow: boolean;
  readonly everybody: boolean;
}

/**
 * The items of permissions, the last wins. Of a permission that may not be about the request only the denies are left.
 */
export function itemsOf(applied: readonly RegionPermission[], side: VerdictSide): RbacFromItem[] {
  return applied.flatMap(({ key, mtp, certain }) => {
    const items = fromItemsOf(mtp).map(({ targetRef, action }) => ({
      means: meaning(targetRef, targetRef.mesh ?? key.mesh),
      allow: decisionOf(action, side) === 'Allow',
      everybody: isEverybody(targetRef),
    }));
    return certain ? items : items.filter(({ allow }) => !allow);
  });
}

/** The client has the item's SANs, and one of its mesh. */
function meaning(ref: TargetRef<FromKind>, mesh: string): Formula {
  const home = `spiffe://${mesh}/`;
  const sans = requiredSans(ref, mesh);
  const parts = sans.map((san): Formula => ({ san }));
  const all: Formula[] = sans.some((san) => san.startsWith(home)) ? parts : [{ below: home }, ...parts];
  return conjunction(all) ?? { below: home };
}

/** The items that decide beside lists, and for what (see `evaluate`): what names more than everybody does. */
export function beside(items: readonly RbacFromItem[]): { readonly deny: Formula | undefined; readonly allow: Formula | undefined } {
  const specific = items.filter(({ everybody }) => !everybody);
  return {
    deny: allowed(specific.map((item) => ({ ...item, allow: !item.allow }))),
    // A deny for everybody opens the way to the lists alone, also where a weaker item allowed.
    allow: allowed(items.filter(({ everybody, allow }) => !everybody || !allow)),
  };
}

/**
 * Whom the items deny where access policies say who may enter (see `denial`): the last that means a client says so,
 * with those for everybody or without them. undefined: nobody.
 */
export function denied(items: readonly RbacFromItem[]): Formula | undefined {
  const flipped = items.map((item) => ({ ...item, allow: !item.allow }));
  return disjunction([allowed(flipped.filter(({ everybody }) => !everybody)), allowed(flipped)].filter((part) => part !== undefined));
}

interface FormulaRun {
  readonly allow: boolean;
  readonly means: readonly Formula[];
}

/**
 * Which clients the items let in, the last that means a client deciding; undefined: none. Items that say the same in a
 * row are one. For a list in two halves: what the right half lets in, or what it doesn't deny and the left half lets
 * in. So the depth grows with the logarithm of the number of items, and the size with n log n
 * (docs/design/access.md#the-from-shape: Envoy refuses deep nesting).
 *
 *   [Mesh allow, env=dev deny, web allow]  ->  web or (not env=dev and Mesh)
 */
export function allowed(items: readonly RbacFromItem[]): Formula | undefined {
  return allowedBy(runsOf(items));
}

function runsOf(items: readonly RbacFromItem[]): FormulaRun[] {
  const runs: { allow: boolean; means: Formula[] }[] = [];
  for (const { allow, means } of items) {
    const last = runs.at(-1);
    if (last?.allow === allow) last.means.push(means);
    else runs.push({ allow, means: [means] });
  }
  return runs;
}

function allowedBy(runs: readonly FormulaRun[]): Formula | undefined {
  const [only] = runs;
  if (!only) return undefined;
  if (runs.length === 1) return only.allow ? disjunction(only.means) : undefined;
  const middle = runs.length >> 1;
  const right = runs.slice(middle);
  const left = allowedBy(runs.slice(0, middle));
  const denied = disjunction(right.flatMap(({ allow, means }) => (allow ? [] : means)));
  const rest = left && denied ? conjunction([{ not: denied }, left]) : left;
  return disjunction([allowedBy(right), rest].filter((part) => part !== undefined));
}

function disjunction(parts: readonly Formula[]): Formula | undefined {
  const [first, ...others] = parts.flatMap((part) => ('any' in part ? part.any : [part]));
  return first && (others.length === 0 ? first : { any: [first, ...others] });
}

function conjunction(parts: readonly Formula[]): Formula | undefined {
  const [first, ...others] = parts.flatMap((part) => ('all' in part ? part.all : [part]));
  return first && (others.length === 0 ? first : { all: [first, ...others] });
}
