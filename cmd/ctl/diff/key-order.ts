import { isObject } from '../../../src/resource/field-path.ts';

/**
 * `value` with the keys of its objects in the order that `model` has them in; one that it hasn't stays behind the one
 * that it is behind. Lists stay as they are. For the order of keys is no change, so a diff shows none.
 *
 *   model {a: 1, b: 2}, value {b: 3, c: 4, a: 1}   -> {a: 1, b: 3, c: 4}
 */
export function inOrderOf(model: unknown, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner, index) => inOrderOf(Array.isArray(model) ? model[index] : undefined, inner));
  if (!isObject(value)) return value;
  const known = isObject(model) ? model : {};
  const keys = Object.keys(known).filter((key) => Object.hasOwn(value, key));
  let before: string | undefined;
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(known, key)) keys.splice(before === undefined ? 0 : keys.indexOf(before) + 1, 0, key);
    before = key;
  }
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(Object.hasOwn(known, key) ? known[key] : undefined, value[key])]));
}
