import * as z from 'zod';
import { readableUpTo } from '../../resource/readable-text.ts';
import { spiffeReason } from '../../resource/schema/spiffe-matches.ts';

/** The version of what zones ask each other (docs/design/attributes.md#both-sides). */
const ACCESS_VERSION = 1;

/** A question is never larger: what is, is dropped unread. */
export const MAX_ASK_BYTES = 64 * 1024;
/** Nor is an answer. */
export const MAX_REPLY_BYTES = 4 * 1024;
/** How long a zone waits for the answer of another one: then it denies. ms */
export const ASK_TIMEOUT = 2_000;

const MOST_ATTRIBUTES = 256;
const MAX_REASON = 512;

const hex = z.string().regex(/^[0-9a-f]{1,64}$/);
const part = z.string().max(253);
const text = z.string().min(1).max(2048);
/** 256 bits, as base64url. */
const token = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** All that must be readable, so that there can be an answer at all. */
const envelope = z.object({ id: hex });

const ask = z.strictObject({
  v: z.literal(ACCESS_VERSION),
  id: hex,
  mesh: part.min(1),
  /** The MeshService that is asked for, of the zone that is asked. */
  service: z.strictObject({ name: part.min(1), namespace: part }),
  caller: z.strictObject({
    /** By which the token may be used. */
    identity: z.string().refine((value) => spiffeReason('Exact', value) === undefined),
    /** Of the workload, never of its site: those the other zone knows itself. */
    attributes: z
      .record(text, z.string().max(2048))
      .refine((given) => Object.keys(given).length <= MOST_ATTRIBUTES, `has more than ${MOST_ATTRIBUTES} attributes`),
  }),
});

/** Why a zone denied what another one asked. A closed set: metrics have a line for each. */
export const ASK_REFUSALS = [
  'unreadable',
  'not-scanned',
  'unknown-zone',
  'disabled-zone',
  'site-attributes',
  'unknown-attributes',
  'unknown-service',
  'too-many-tokens',
  'policy',
  'no-policy',
] as const;

export type AskRefusal = (typeof ASK_REFUSALS)[number];

const policy = z.string().max(2048).nullable();
const reason = z.string().transform((given) => readableUpTo(MAX_REASON, given));
const reply = z.discriminatedUnion('allowed', [
  z.strictObject({
    v: z.literal(ACCESS_VERSION),
    id: hex,
    allowed: z.literal(true),
    /** The KRI of the policy that allows it. */
    decidedBy: policy,
    reason,
    token,
    /** ms */
    expiresIn: z.number().int().positive().max(3_600_000),
  }),
  z.strictObject({
    v: z.literal(ACCESS_VERSION),
    id: hex,
    allowed: z.literal(false),
    why: z.enum(ASK_REFUSALS),
    decidedBy: policy,
    reason,
  }),
]);

type WithoutVersion<T> = T extends unknown ? Omit<T, 'v'> : never;
/** What a zone asks another one. */
export type AccessAsk = WithoutVersion<z.infer<typeof ask>>;
/** What that one says. */
export type AccessReply = WithoutVersion<z.infer<typeof reply>>;

export function encodeAsk(message: AccessAsk): string {
  return JSON.stringify({ v: ACCESS_VERSION, ...message });
}

export function encodeReply(message: AccessReply): string {
  return JSON.stringify({ v: ACCESS_VERSION, ...message });
}

/** A question that was read; without `ask`: there is an answer to it, and no more than that can be read. */
export interface ReadAsk {
  readonly id: string;
  readonly ask: AccessAsk | undefined;
}

/**
 * The question of a text; undefined: not even its id can be read. A field that is not known may narrow what is asked,
 * so that a question with one is not readable.
 */
export function decodeAsk(given: string): ReadAsk | undefined {
  const value = given.length > MAX_ASK_BYTES ? undefined : parse(given);
  const head = envelope.safeParse(value);
  return head.success ? { id: head.data.id, ask: ask.safeParse(value).data } : undefined;
}

/** The answer of a text; undefined: it is none. */
export function decodeReply(given: string): AccessReply | undefined {
  return given.length > MAX_REPLY_BYTES ? undefined : reply.safeParse(parse(given)).data;
}

function parse(given: string): unknown {
  try {
    return JSON.parse(given) as unknown;
  } catch {
    return undefined; // Which no schema takes.
  }
}
