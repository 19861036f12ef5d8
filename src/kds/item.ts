import { type Key, type KeyTuple, keyFromTuple, keyTuple } from '../resource/key.ts';
import type { Labels } from '../resource/labels.ts';
import { isObject } from '../resource/field-path.ts';
import { type Environment, ENVIRONMENTS, type JsonObject } from '../resource/resource.ts';

/**
 * A reference that global resolved: its place in the spec, the key of its target, and the name of the target's copies.
 */
export interface ItemReference {
  readonly path: readonly (string | number)[];
  readonly target: Key;
  readonly name: string;
}

/**
 * One resource on its way. From a zone: what the user wrote, and nothing that global would believe anyway. From global:
 * also what global worked out. The spec is always the one that the origin wrote; the reader puts the names in
 * (docs/design/roles.md#references).
 */
export interface Item {
  readonly key: Key;
  /** The labels that the user set: computed ones are worked out again by the reader. */
  readonly labels: Labels;
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
  /** From global only. */
  readonly assigned?:
    | {
        readonly name: string;
        readonly role?: string | undefined;
        readonly environment?: Environment | undefined;
        readonly references: readonly ItemReference[];
      }
    | undefined;
}

/** An item as the one line that is stored, hashed and sent. The same item gives the same bytes. */
export function encodeItem(item: Item): string {
  const own = JSON.stringify({
    key: keyTuple(item.key),
    labels: Object.fromEntries(Object.entries(item.labels).sort(([a], [b]) => (a < b ? -1 : 1))),
    spec: item.spec,
    status: item.status,
  });
  return item.assigned ? encodeAssigned(own, item.assigned) : own;
}

/** The line of the same item with what global worked out. In: its line without that. */
export function encodeAssigned(own: string, { name, role, environment, references }: NonNullable<Item['assigned']>): string {
  const targets = references.map((reference) => ({ path: reference.path, target: keyTuple(reference.target), name: reference.name }));
  return `${own.slice(0, -1)},"assigned":${JSON.stringify({ name, role, environment, references: targets })}}`;
}

/** The line that says that `key` left the feed. */
export function encodeDelete(key: Key): string {
  return JSON.stringify(keyTuple(key));
}

/** What a line says of a key. The caller files it under the zone that the transport proves. */
export interface DecodedLine {
  readonly key: Key;
  readonly gone: boolean;
  /** undefined: the item is gone, or it can't be read. */
  readonly item: Item | undefined;
}

/**
 * An object is an item, an array is a delete; undefined: the line has no key. An item that can't be read (a newer
 * version wrote it) still has a key: it alone is refused, and holds up nothing else.
 */
export function decodeLine(text: string): DecodedLine | undefined {
  const value = parseJson(text);
  if (isTuple(value)) return { key: keyFromTuple(value), gone: true, item: undefined };
  if (!isObject(value) || !isTuple(value.key)) return undefined;
  return { key: keyFromTuple(value.key), gone: false, item: toItem(value, value.key) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The parts are names. Other texts could be too long, break a line, or mean one thing to us and another to the
 * database.
 */
const PART = /^[ -~]{0,253}$/;

function isTuple(value: unknown): value is KeyTuple {
  return Array.isArray(value) && value.length === 5 && value.every((part) => typeof part === 'string' && PART.test(part));
}

function toItem(value: Readonly<Record<string, unknown>>, key: KeyTuple): Item | undefined {
  if (!isLabels(value.labels) || !isObject(value.spec)) return undefined;
  if (value.status !== undefined && !isObject(value.status)) return undefined;
  const assigned = value.assigned === undefined ? undefined : toAssigned(value.assigned);
  if (value.assigned !== undefined && !assigned) return undefined;
  return {
    key: keyFromTuple(key),
    labels: value.labels,
    spec: value.spec as JsonObject,
    ...(value.status === undefined ? {} : { status: value.status as JsonObject }),
    ...(assigned ? { assigned } : {}),
  };
}

function isLabels(value: unknown): value is Labels {
  return isObject(value) && Object.values(value).every((label) => typeof label === 'string');
}

function toAssigned(value: unknown): Item['assigned'] {
  if (!isObject(value) || typeof value.name !== 'string' || !Array.isArray(value.references)) return undefined;
  const references = value.references.map(toReference);
  if (!references.every((reference) => reference !== undefined)) return undefined;
  const { role } = value;
  if (role !== undefined && typeof role !== 'string') return undefined;
  const environment = ENVIRONMENTS.find((one) => one === value.environment);
  if (environment !== value.environment) return undefined;
  return { name: value.name, role, environment, references };
}

function toReference(value: unknown): ItemReference | undefined {
  if (!isObject(value) || !Array.isArray(value.path) || !isTuple(value.target) || typeof value.name !== 'string') return undefined;
  if (!value.path.every((step) => typeof step === 'string' || (typeof step === 'number' && Number.isInteger(step)))) return undefined;
  return { path: value.path as (string | number)[], target: keyFromTuple(value.target), name: value.name };
}
