import type { JsonObject } from './resource.ts';

/** Where a value stands in a document: field names and positions in lists, from the outside in. */
export type Path = readonly (string | number)[];

/** A path as users read it: `spec.to[0].targetRef.kind`, `labels["kuma.io/mesh"]`. */
export function formatPath(path: Path): string {
  return path.map((part, index) => formatPart(part, index === 0)).join('');
}

function formatPart(part: string | number, first: boolean): string {
  if (typeof part === 'number') return `[${part}]`;
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(part)) return `[${quote(part)}]`;
  return first ? part : `.${part}`;
}

/** A user's text inside a message: quoted, and cut at 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

/** Whether a value is a plain object: not a list, a date or an instance of a class. Its values are not checked. */
export function isObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
