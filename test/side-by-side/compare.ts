import type { AnyJson } from '../api/harness.ts';

/** One field that the two answer differently. undefined: it is not there. */
export interface Difference {
  /** `body.items[web].labels["kuma.io/env"]` */
  readonly field: string;
  readonly kuma: AnyJson;
  readonly meridian: AnyJson;
}

/**
 * The fields in which two answers differ; what is missing on one side is told once, not for all that is in it. Lists of
 * named things are compared by their names, and that their order differs is told apart.
 *
 *   {a: 1, b: {c: 2}}, {a: 1}   -> [{field: b, kuma: {c: 2}, meridian: undefined}]
 */
export function compare(kuma: AnyJson, meridian: AnyJson, field = ''): Difference[] {
  if (Array.isArray(kuma) && Array.isArray(meridian)) return compareLists(kuma, meridian, field);
  if (isObject(kuma) && isObject(meridian)) return compareFields(kuma, meridian, (name) => pathTo(field, name));
  return Object.is(kuma, meridian) ? [] : [{ field, kuma, meridian }];
}

function compareFields(kuma: AnyJson, meridian: AnyJson, path: (name: string) => string): Difference[] {
  const names = [...new Set([...Object.keys(kuma), ...Object.keys(meridian)])];
  return names.flatMap((name) => compare(kuma[name], meridian[name], path(name)));
}

function compareLists(kuma: readonly AnyJson[], meridian: readonly AnyJson[], field: string): Difference[] {
  const [theirs, ours] = [byName(kuma), byName(meridian)];
  const inner = compareFields(Object.fromEntries(theirs), Object.fromEntries(ours), (name) => `${field}[${name}]`);
  const common = (of: ReadonlyMap<string, AnyJson>, other: ReadonlyMap<string, AnyJson>) =>
    [...of.keys()].filter((name) => other.has(name)).join(' ');
  const [order, ourOrder] = [common(theirs, ours), common(ours, theirs)];
  return order === ourOrder ? inner : [...inner, { field: `${field}.order`, kuma: order, meridian: ourOrder }];
}

/** What an item is called; its place when it has no name, or another item has the same. */
function byName(items: readonly AnyJson[]): ReadonlyMap<string, AnyJson> {
  const named = new Map<string, AnyJson>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    named.set(name === undefined || named.has(name) ? String(index) : name, item);
  }
  return named;
}

function nameOf(item: AnyJson): string | undefined {
  if (Array.isArray(item)) return typeof item[0] === 'string' && item.length > 1 ? item.slice(0, 2).join(' ') : undefined;
  if (!isObject(item)) return undefined;
  // In the Kubernetes format: Secrets have a `type` beside their `kind`.
  if (isObject(item.metadata)) return `${item.kind} ${item.metadata.name}`;
  const parts = [item.type, item.mesh, item.name ?? item.kri ?? item.field ?? item.kind].filter((part) => typeof part === 'string');
  return parts.length === 0 ? undefined : parts.join(' ');
}

function isObject(value: AnyJson): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pathTo(field: string, name: string): string {
  const simple = /^[\w-]+$/.test(name);
  if (!simple) return `${field}["${name}"]`;
  return field === '' ? name : `${field}.${name}`;
}
