import * as z from 'zod';
import { type Key, keyFromTuple, keyTuple } from '../resource/key.ts';
import { findKind } from '../resource/kinds.ts';
import { mtpOf } from '../resource/permission.ts';
import { isSilent } from '../resource/permission-actions.ts';
import type { JsonObject } from '../resource/resource.ts';
import { IN_FORCE, type Refusal } from '../resource/store/store.ts';
import { readableUpTo } from '../resource/readable-text.ts';
import { addHash, EMPTY_DIGEST, formatDigest, hashItem } from './digest.ts';

/** A reason is one line for a person: longer ones are cut. */
const MAX_REASON = 500;

const part = z.string().max(253);
const wireRefusal = z.object({
  key: z.tuple([part, part, part, part, part]),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  reason: z.string(),
  since: z.string().max(64),
  inForce: z.enum(IN_FORCE),
});

/**
 * What a refusal leaves in force. A kind that may hold a deny fails closed: the last accepted version stays, or what it
 * selects is denied (docs/design/sync.md#zones-alone). `spec`: what was refused, if it could be read; a permission that
 * says nothing, which an older peer may still have, denies nothing.
 */
export function inForceAfterRefusal(key: Key, hasPrevious: boolean, spec?: JsonObject): Refusal['inForce'] {
  if (hasPrevious) return 'previous';
  if (key.type === 'MeshTrafficPermission' && spec && isSilent(mtpOf(spec))) return 'none';
  return findKind(key.type)?.mayDeny ? 'deny' : 'none';
}

/** It may repeat what is in the item: nothing of that is more than text. */
export function cutReason(reason: string): string {
  return readableUpTo(MAX_REASON, reason);
}

/** What a refusal adds to the digest of a list. When it was refused is no part of it. */
export function hashOfRefusal({ key, hash, reason, inForce }: Pick<Refusal, 'key' | 'hash' | 'reason' | 'inForce'>): string {
  return hashItem(JSON.stringify([keyTuple(key), hash, reason, inForce]));
}

/**
 * Names a list of refusals: both sides compare it instead of the list. A sum, as that of a feed (digest.ts), so that a
 * store keeps it as refusals come and go. '' when there are none.
 */
export function digestOfRefusals(refusals: readonly Refusal[]): string {
  if (refusals.length === 0) return '';
  return formatDigest(refusals.reduce((digest, refusal) => addHash(digest, hashOfRefusal(refusal)), EMPTY_DIGEST));
}

/** A refusal as the peer lists it; undefined: the line is not a refusal. */
export function decodeRefusal(line: string): Refusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined; // What a peer says wrongly is not a refusal; its digest will not match, which is seen.
  }
  const parsed = wireRefusal.safeParse(value);
  if (!parsed.success) return undefined;
  return { ...parsed.data, key: keyFromTuple(parsed.data.key), reason: cutReason(parsed.data.reason) };
}
