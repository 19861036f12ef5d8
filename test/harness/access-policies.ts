import type { Labels } from '../../src/resource/labels.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import { resource } from './policies.ts';
import { type Attributes, readAttributes } from '../../src/policy/access/attributes.ts';
import type { AttributeSet } from '../../src/policy/access/attribute-keys.ts';

/** What the specs of access policies share: policies and sets in a few words. */

/** A set that must not contradict itself. */
export function set(side: AttributeSet, given: Labels): Attributes {
  const read = readAttributes(side, given);
  if (!read) throw new Error(`contradicts itself: ${JSON.stringify(given)}`);
  return read;
}

/** A selector: labels that must be equal, or an expression as `key operator values...`. */
export function selector(...parts: readonly (Labels | string)[]): JsonObject {
  const matchLabels = Object.assign({}, ...parts.filter((part) => typeof part !== 'string')) as Labels;
  const matchExpressions = parts
    .filter((part) => typeof part === 'string')
    .map((part) => {
      const [key = '', operator = '', ...values] = part.split(' ');
      return values.length > 0 ? { key, operator, values } : { key, operator };
    });
  return { workloadSelector: { matchLabels, matchExpressions } };
}

export const ALL = selector();

export type AccessItem = JsonObject;

/** Where it is from: `global` by default, `east`, `east/pay`. */
export function access(
  name: string,
  action: string,
  from: readonly AccessItem[],
  to: readonly AccessItem[] = [ALL],
  where = 'east/pay',
): Resource {
  return resource('AccessPolicy', name, { action, from, to }, where);
}

export function privileged(name: string, action: string, from: readonly AccessItem[], to: readonly AccessItem[] = [ALL]): Resource {
  return resource('PrivilegedAccessPolicy', name, { action, from, to }, 'east');
}
