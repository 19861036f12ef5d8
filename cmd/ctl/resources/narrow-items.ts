import { InvalidArgumentError } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { textOf } from '../terminal/printable.ts';
import { readResourceView } from './resource-view.ts';

/** A condition on one label: it must (not) be there, or (not) have the value. */
interface LabelRequirement {
  readonly label: string;
  readonly not: boolean;
  readonly value: string | undefined;
}

/** What a user wants to see of a list, and in which order. */
export interface NarrowOptions {
  readonly namespace?: string;
  readonly selector?: readonly LabelRequirement[];
  readonly sortBy?: string;
}

/** What a list can be sorted by: the text that is compared. */
export const SORTED_BY: Readonly<Record<string, (item: JsonObject) => string>> = {
  name: (item) => readResourceView(item).name,
  mesh: (item) => readResourceView(item).mesh,
  namespace: (item) => readResourceView(item).namespace,
  role: (item) => readResourceView(item).role,
  origin: (item) => readResourceView(item).zone,
  type: (item) => readResourceView(item).type,
  age: (item) => textOf(item.creationTime),
};

/** The items that are meant, sorted where a column is said; what is equal there keeps its order. */
export function narrow(items: readonly JsonObject[], { namespace, selector = [], sortBy }: NarrowOptions): JsonObject[] {
  const kept = items.filter(
    (item) => (namespace === undefined || readResourceView(item).namespace === namespace) && selector.every((one) => meets(item, one)),
  );
  const text = sortBy === undefined ? undefined : SORTED_BY[sortBy];
  return text ? kept.toSorted((a, b) => compare(text(a), text(b))) : kept;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function meets({ labels }: JsonObject, { label, not, value }: LabelRequirement): boolean {
  const held = isObject(labels) ? labels[label] : undefined;
  return (value === undefined ? held !== undefined : held === value) !== not;
}

/**
 * Label selectors as kubectl has them, but for sets.
 *
 *   team=shop,env!=test,owner  ->  label team is shop, label env is not test, there is a label owner
 */
export function parseSelector(text: string): LabelRequirement[] {
  return text.split(',').map((part) => {
    const found = /^\s*(!?)\s*([\w./-]+)\s*(?:(!=|==?)\s*([\w.-]*)\s*)?$/.exec(part);
    if (!found || (found[1] && found[3])) throw new InvalidArgumentError('It must be like team=shop,env!=test,owner.');
    const [, exclamation, label = '', operator, value] = found;
    return { label, not: exclamation === '!' || operator === '!=', value: operator === undefined ? undefined : value };
  });
}

export function parseColumn(text: string): string {
  if (Object.hasOwn(SORTED_BY, text)) return text;
  throw new InvalidArgumentError(`It must be one of ${Object.keys(SORTED_BY).join(', ')}.`);
}
