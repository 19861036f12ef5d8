import { isObject } from '../resource/field-path.ts';
import type { JsonObject, JsonValue } from '../resource/resource.ts';

/** `value` if it is an object, else undefined: for reading a spec that nobody has checked. */
export function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

/** `value` if it is a list, else an empty one. */
export function asArray(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** `value` if it is a text that says something, else undefined. */
export function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Absent as people write it: nothing, `null`, `{}` or `[]` (docs/design/resources.md#strictness: `targetRef: {}` is an
 * absent one).
 */
export function isAbsent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

// Array.isArray alone does not narrow a readonly array.
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
