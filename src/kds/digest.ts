import { hash } from 'node:crypto';

/**
 * The digest of a feed: the sum, modulo 2^256, of SHA-256 over each encoded item. An item names its key, so the sum
 * covers key and bytes. It is order-free and kept at O(1): put adds, delete subtracts.
 *
 *   empty          0
 *   put a, put b   H(a) + H(b)
 *   delete a       H(b)
 */
export type Digest = bigint;

const MODULUS = 1n << 256n;

export const EMPTY_DIGEST: Digest = 0n;

/** SHA-256 of an encoded item, 64 hex digits. */
export function hashItem(wire: string): string {
  return hash('sha256', wire);
}

export function addHash(digest: Digest, hash: string): Digest {
  return (digest + BigInt(`0x${hash}`)) % MODULUS;
}

export function subtractHash(digest: Digest, hash: string): Digest {
  return (digest - BigInt(`0x${hash}`) + MODULUS) % MODULUS;
}

/** 64 hex digits. */
export function formatDigest(digest: Digest): string {
  return digest.toString(16).padStart(64, '0');
}

export function parseDigest(text: string): Digest {
  return BigInt(`0x${text}`);
}
