import { MeridianError } from '../errors.ts';
import { findKind, kindByShort } from './kinds.ts';

/**
 * The identity of a resource: its origin. Every copy of it, in every store, has the same key.
 * `mesh` is '' for global-scoped kinds, `zone` is '' for what global made, `namespace` is '' where the
 * origin has none. `name` is the display name.
 */
export interface Key {
  readonly type: string;
  readonly mesh: string;
  readonly zone: string;
  readonly namespace: string;
  readonly name: string;
}

/** The tuple form of a key: what is compared and sent. */
export type KeyTuple = readonly [type: string, mesh: string, zone: string, namespace: string, name: string];

export function keyTuple(key: Key): KeyTuple {
  return [key.type, key.mesh, key.zone, key.namespace, key.name];
}

/** Of a tuple, or of what begins with one. By index: taken apart it would take several times as long. */
export function keyFromTuple(tuple: readonly [...KeyTuple, ...unknown[]]): Key {
  return { type: tuple[0], mesh: tuple[1], zone: tuple[2], namespace: tuple[3], name: tuple[4] };
}

export function sameKey(a: Key, b: Key): boolean {
  return compareKeys(a, b) === 0;
}

/** Orders keys by their parts, each by code unit: the order of scans. */
export function compareKeys(a: Key, b: Key): number {
  return (
    compareText(a.type, b.type) ||
    compareText(a.mesh, b.mesh) ||
    compareText(a.zone, b.zone) ||
    compareText(a.namespace, b.namespace) ||
    compareText(a.name, b.name)
  );
}

/** -1, 0 or 1 by code unit. SQLite's BINARY collation gives the same order for the DNS alphabet. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A string that is equal exactly when two keys are: for maps only. The separator can't occur in a part. */
export function keyId(key: Key): string {
  return `${key.type}\u0000${key.mesh}\u0000${key.zone}\u0000${key.namespace}\u0000${key.name}`;
}

/**
 * The KRI, for people and APIs: `kri_<short>_<mesh>_<zone>_<namespace>_<name>_<section>`
 * (docs/design/resources.md#identity). `kri_mt_default_east_backend-ns_timeouts_`. '' for kinds without a short name.
 */
export function formatKri(key: Key, section = ''): string {
  // What was refused of a newer zone, or of one that makes kinds up, is shown too.
  const short = findKind(key.type)?.short ?? '';
  if (short === '') return '';
  return `kri_${[short, key.mesh, key.zone, key.namespace, key.name, section].join('_')}`;
}

/** The key and section of a KRI. Throws `invalid` when it is not one. No part can hold `_`, so that it comes apart. */
export function parseKri(text: string): { key: Key; section: string } {
  const [prefix, short, mesh, zone, namespace, name, section, ...rest] = text.split('_');
  const kind = short === undefined ? undefined : kindByShort(short);
  if (prefix !== 'kri' || !kind || section === undefined || rest.length > 0 || !name) {
    throw new MeridianError('invalid', `${JSON.stringify(text)} is not a KRI`, {
      problems: [{ field: 'kri', reason: 'must be kri_<short name>_<mesh>_<zone>_<namespace>_<name>_<section>' }],
    });
  }
  return { key: { type: kind.type, mesh: mesh ?? '', zone: zone ?? '', namespace: namespace ?? '', name }, section };
}
