import { asArray, asObject, asText } from '../../naming/json.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import { kindAt, meansRoutes, TO } from '../../resource/schema/reference-kinds.ts';
import { canonical } from '../match/merge-confs.ts';
import { TO_RANKS } from '../match/policy-order.ts';
import { todaysKind } from './rank-names.ts';

/** An item of `to` or `from` in today's form. */
export interface ConvertedItem {
  readonly [field: string]: JsonValue | undefined;
  readonly targetRef: JsonObject;
  readonly default: JsonObject;
}

/** The items of a list in today's form and order: there the first wins, today the last. */
export function readItems(list: JsonValue | undefined): ConvertedItem[] {
  return asArray(list).map(readItem).reverse();
}

function readItem(value: JsonValue): ConvertedItem {
  const { targetRef, ...conf } = asObject(value) ?? {};
  const ref = asObject(targetRef) ?? { kind: 'Mesh' };
  return { targetRef: { ...ref, kind: todaysKind(asText(ref.kind) ?? '') }, default: conf };
}

/** The destinations that weaker items name, by what tells them apart. */
export type NamedDestinations = Map<string, JsonObject>;

/**
 * Items of `to` that today mean what they meant in the early form. There an item wins over all that are weaker; today
 * the more specific kind of item wins whatever its place. So what is said of everything is said again of each service
 * that a weaker item names. `seen` holds those, of weaker policies too, and gets this one's. undefined: it can't be
 * said again, since nobody knows whose the route is that a weaker item names.
 *
 *   backend {a: 1}, then Mesh {a: 2}  ->  backend {a: 1}, Mesh {a: 2}, backend {a: 2}
 */
export function spellOut(items: readonly ConvertedItem[], seen: NamedDestinations): ConvertedItem[] | undefined {
  const result: ConvertedItem[] = [];
  for (const item of items) {
    const others = [...seen.values()].filter((ref) => specificity(ref) > specificity(item.targetRef));
    const within = others.filter((ref) => isWithin(ref, item.targetRef));
    if (others.some((ref) => isOfRoutes(ref) && !isWithin(ref, item.targetRef))) return undefined;
    result.push(item, ...within.map((targetRef) => ({ ...item, targetRef })));
    seen.set(canonical(item.targetRef), item.targetRef);
  }
  return result;
}

/** Where an item stands among others today. */
function specificity({ kind }: JsonObject): number {
  const known = kindAt(TO, kind);
  return known === undefined ? -1 : TO_RANKS[known];
}

function isOfRoutes({ kind }: JsonObject): boolean {
  const known = kindAt(TO, kind);
  return known !== undefined && meansRoutes(known);
}

/** Whether what is said of `outer` is said of `inner` too. */
function isWithin(inner: JsonObject, outer: JsonObject): boolean {
  return outer.kind === 'Mesh' || (inner.kind === 'MeshServiceSubset' && inner.name === outer.name);
}
