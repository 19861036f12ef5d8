import { hash } from 'node:crypto';
import { type Key, keyTuple } from '../resource/key.ts';

/** What Kuma hashes into the name of a copy. `zone` and `namespace` are '' where the origin has none. */
export interface NameParts {
  readonly mesh: string;
  /** The display name. */
  readonly name: string;
  readonly zone: string;
  readonly namespace: string;
}

/** Kubernetes' alphabet for generated names: no vowels, nothing that looks like another character. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** The longest name that Kubernetes takes. */
const MAX_NAME = 253;
const HASH_LENGTH = 16;
const HASHED = new RegExp(`-[${ALPHABET}]{${HASH_LENGTH}}$`);

/**
 * Kuma's name for a copy of a resource: `<display name>-<16 characters>` (docs/design/names.md#the-name-of-a-copy; all
 * vectors of Kuma 2.14.3 match).
 *
 *   mesh `default`, name `backend`, zone `east`, namespace `ns`
 *   -> FNV-1a 64 of `defaultbackendeastns`, as 16 hex digits
 *   -> each digit written as ALPHABET[its char code % 27], behind `backend-`
 */
export function hashedName({ mesh, name, zone, namespace }: NameParts): string {
  return withHash(name, fnv1a64(mesh + name + zone + namespace));
}

/**
 * The n-th name (from 1) for a copy whose Kuma name is another resource's. It is a hash over the separated parts, so
 * that what runs together in Kuma's (zone `east` and namespace `1a`, zone `east1` and namespace `a`) stays apart here.
 */
export function saltedName(key: Key, n: number): string {
  const digest = hash('sha256', JSON.stringify([...keyTuple(key), n]));
  return withHash(key.name, digest.slice(0, HASH_LENGTH));
}

/** Whether a name ends like that of a copy: `-` and 16 characters of the safe alphabet. */
export function looksHashed(name: string): boolean {
  return HASHED.test(name);
}

/** The display name, cut to leave room, followed by the hex digits in the safe alphabet. */
function withHash(name: string, hex: string): string {
  let safe = '';
  for (let at = 0; at < hex.length; at++) safe += ALPHABET.charAt(hex.charCodeAt(at) % ALPHABET.length);
  return `${name.slice(0, MAX_NAME - 1 - HASH_LENGTH)}-${safe}`;
}

/**
 * FNV-1a with 64 bits over the text's UTF-8, as 16 hex digits. In two halves, since a bigint for each byte takes ten
 * times as long: the prime is 2^40 + 0x1b3, and all products are below 2^53.
 */
function fnv1a64(text: string): string {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + mixed * 2 ** 8) % 2 ** 32;
    low = product >>> 0;
  }
  return high.toString(16).padStart(HASH_LENGTH / 2, '0') + low.toString(16).padStart(HASH_LENGTH / 2, '0');
}
