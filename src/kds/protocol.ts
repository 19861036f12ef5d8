import * as z from 'zod';
import { MeridianError } from '../errors.ts';
import { isDnsLabel } from '../resource/dns-names.ts';
import { readableUpTo } from '../resource/readable-text.ts';
import { ENVIRONMENTS, usesNamespaces } from '../resource/resource.ts';

/** The version of this protocol. A message of another one is answered with a notice. */
const PROTOCOL = 1;

/** A message is never larger: NATS' own default is 1 MiB. */
export const MAX_MESSAGE_BYTES = 1_000_000;
/** A pulled page carries about this many bytes of items, or one item. */
export const PAGE_BYTES = 256 * 1024;
/** Where less goes at once, a page fits that; but it has so many bytes, in parts if need be: else there are many. */
const LEAST_PAGE_BYTES = 16 * 1024;
/** What a page is besides its items. */
const PAGE_HEAD_BYTES = 1_024;
/** A delta up to this size is pushed to a zone; more is pulled. */
export const PUSH_BYTES = 64 * 1024;
/**
 * The most that global takes from a zone in one transfer: bytes, plus LINE_BYTES for each line and page. All of it is
 * in memory when it is applied. Zones have no such limit for global.
 */
export const MAX_TRANSFER_BYTES = 256 * 1024 * 1024;
export const LINE_BYTES = 512;
/** The message of a notice, for people, is cut after this many characters. */
const MAX_NOTICE = 512;
/** Status messages go out at least this often, in milliseconds. */
export const STATUS_INTERVAL = 2_000;
/** To a zone that is away they go out this often, in milliseconds. */
export const SILENT_INTERVAL = 30_000;
/** After many commits in a row the peer is told at most once in this time, in milliseconds. */
export const ACKNOWLEDGE_INTERVAL = 200;
/** A peer that was silent this long counts as away. */
export const SILENCE = 7_000;
/** A message that is on its way for so long comes too late to tell that its sender lives. ms */
export const LATE = 1_500;
/** An answer that takes longer is asked for again. */
export const ANSWER_TIMEOUT = 3_000;
/** So often, then it is given up for a while. */
export const MAX_TRIES = 5;

const hex = z.string().regex(/^[0-9a-f]{1,64}$/);
const count = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
/** A store's first term is 1. An item that was not sent in any term has 0. */
const term = z.number().int().positive().max(Number.MAX_SAFE_INTEGER);
const part = z.string().max(253);
const keyTuple = z.tuple([part, part, part, part, part]);

/** Which process speaks: its store, and which of possibly several processes with that identity it is. */
const speaker = z.object({
  store: hex,
  term,
  /** Raised at each start of a process on this store. */
  incarnation: count,
  /** Random for each start: breaks a tie between two copies of one volume. */
  instance: hex,
});

const position = z.object({ store: hex, term, revision: count, digest: hex, count, signature: z.string().max(128) });

/** How far the speaker has the other side's feed. */
const acknowledged = z.object({
  position: position.omit({ signature: true }).optional(),
  /** SHA-256 over the refusals; '' when there are none. */
  refusals: z.string().max(64),
  /** Why the last transfer of it was not taken at all, for people. */
  notTaken: z
    .string()
    .transform((text) => readableUpTo(MAX_NOTICE, text))
    .optional(),
});

/** What a site may have of attributes, and how long each key and value may be. */
const MAX_ATTRIBUTES = 64;
const MAX_ATTRIBUTE = 253;

/** What a zone says of itself, once it speaks. On universal there are no namespaces. */
const about = z
  .object({
    environment: z.enum(ENVIRONMENTS),
    systemNamespace: z.union([z.literal(''), z.string().refine(isDnsLabel)]),
    version: z.string().regex(/^[ -~]{0,64}$/),
    /** Of its site, as its configuration says (docs/design/attributes.md#a-sites-attributes). */
    attributes: z
      .record(z.string().max(MAX_ATTRIBUTE), z.string().max(MAX_ATTRIBUTE))
      .refine((given) => Object.keys(given).length <= MAX_ATTRIBUTES)
      .optional(),
  })
  .refine(({ environment, systemNamespace }) => !usesNamespaces(environment) || systemNamespace !== '');

const status = z.object({
  kind: z.literal('status'),
  /**
   * The speaker's feed for the other side, at its head: signed, so that a receiver whose mirror agrees may adopt it.
   * Absent while it is halted.
   */
  head: position.optional(),
  ack: acknowledged,
  about: about.optional(),
  /** The speaker is being stopped, and says nothing more. An older version takes it for any other status. */
  leaving: z.literal(true).optional(),
});

const pull = z.object({
  kind: z.literal('pull'),
  id: hex,
  ask: z.discriminatedUnion('mode', [
    /** The changes since a cursor; `after` is where the last page ended. */
    z.object({ mode: z.literal('delta'), cursor: position, after: count }),
    /**
     * Everything, by key. The first page shows the cursor, if there is one: a restored sender must see it before
     * absence counts.
     */
    z.object({ mode: z.literal('scan'), cursor: position.optional(), after: keyTuple.optional() }),
    /** The changes since a scan began. */
    z.object({ mode: z.literal('tail'), revision: count, after: count }),
    /** What the other side refused of the speaker's feed. */
    z.object({ mode: z.literal('refusals'), after: keyTuple.optional() }),
  ]),
});

const page = z.object({
  kind: z.literal('page'),
  id: hex,
  /** The revision when this page was made. */
  revision: count,
  /** Where to go on: more pages of the same mode follow. */
  next: z.union([count, keyTuple]).optional(),
  /** The cursor to hold once everything up to this page is applied: on the last page of a delta or a tail. */
  end: position.optional(),
  /** The log does not reach back to the asked revision: a scan is needed. */
  scan: z.boolean().optional(),
});

const push = z.object({
  kind: z.literal('push'),
  /** What the receiver's mirror must be for this delta to apply. */
  from: z.object({ digest: hex, count }),
  end: position,
});

/** Why a side says nothing more: shown to the operator over there. */
const notice = z.object({
  kind: z.literal('notice'),
  code: z.enum(['superseded', 'disabled', 'diverged', 'store-changed']),
  /** The process that is meant, where only one of several with the same identity is. */
  instance: hex.optional(),
  message: z.string().transform((text) => readableUpTo(MAX_NOTICE, text)),
});

const header = z.object({
  v: z.literal(PROTOCOL),
  from: speaker,
  /** So many bytes at once reach the speaker. Absent: MAX_MESSAGE_BYTES, and it knows no parts (message-parts.ts). */
  takes: count.optional(),
  body: z.discriminatedUnion('kind', [status, pull, page, push, notice]),
});

export type Speaker = z.infer<typeof speaker>;
export type ZoneInfo = z.infer<typeof about>;
export type FeedAck = z.infer<typeof acknowledged>;
export type Status = z.infer<typeof status>;
export type Pull = z.infer<typeof pull>;
export type Ask = Pull['ask'];
export type PageBody = z.infer<typeof page>;
export type Push = z.infer<typeof push>;
export type Notice = z.infer<typeof notice>;
export type Body = Status | Pull | PageBody | Push | Notice;

/** A decoded message. `lines` are the items of a page or a push, still encoded. */
export interface Message {
  readonly from: Speaker;
  readonly takes?: number | undefined;
  readonly body: Body;
  readonly lines: readonly string[];
}

/** About how many bytes of items a page has for a peer that takes `most` bytes at once. */
export function pageBytes(most: number): number {
  return Math.min(PAGE_BYTES, Math.max(LEAST_PAGE_BYTES, most - PAGE_HEAD_BYTES));
}

/**
 * A message as text: the header as one line of JSON, then one line for each item. JSON never holds a raw line break.
 */
export function encodeMessage(message: Message): string {
  const head = JSON.stringify({ v: PROTOCOL, from: message.from, takes: message.takes, body: message.body });
  return message.lines.length === 0 ? head : `${head}\n${message.lines.join('\n')}`;
}

/**
 * The message of a text. Throws `invalid` for anything that is not one; unknown fields are dropped, so that newer
 * versions may add some.
 */
export function decodeMessage(text: string): Message {
  if (text.length > MAX_MESSAGE_BYTES) throw new MeridianError('invalid', 'a message is larger than the protocol allows');
  const [first = '', ...lines] = text.split('\n');
  const parsed = header.safeParse(parseHeader(first));
  if (!parsed.success) throw new MeridianError('invalid', 'not a message of this protocol', { cause: parsed.error });
  const { from, takes, body } = parsed.data;
  return { from, ...(takes === undefined ? {} : { takes }), body, lines };
}

function parseHeader(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch (cause) {
    throw new MeridianError('invalid', 'the header of a message is not JSON', { cause });
  }
}
