import { MAX_MESSAGE_BYTES } from './protocol.ts';

/**
 * The least that a transport must carry at once, in bytes. With less nothing is exchanged, and the operator is told.
 * A status fits: so much is sent to a peer that has not said yet what it takes.
 */
export const LEAST_PAYLOAD = 1_024;
/** A part begins with at most this many bytes of its own. */
const HEAD_BYTES = 64;
const HEAD = /^part ([0-9a-f]{1,32}) (\d{1,5}) (\d{1,5})\n/;
/** So many parts has a message of MAX_MESSAGE_BYTES at LEAST_PAYLOAD, each character of it the longest. */
const MOST_PARTS = Math.ceil(MAX_MESSAGE_BYTES / Math.floor((LEAST_PAYLOAD - HEAD_BYTES) / 3));
/** UTF-8 has at most this many bytes for one unit of a text. */
const BYTES_PER_UNIT = 3;

/**
 * A message as texts of at most `most` bytes (LEAST_PAYLOAD or more): itself, or its parts. A server of NATS closes the
 * connection for one that is larger than its `max_payload`, which may be anything. `newId`: hex, another one for each
 * message.
 *
 *   'abcdef' where 'abc' fits   ->  part 7f 0 2 | abc,  part 7f 1 2 | def
 */
export function cutMessage(text: string, most: number, newId: () => string): readonly string[] {
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return [text];
  const room = most - HEAD_BYTES;
  const pieces = cut(text, bytes === text.length ? room : Math.floor(room / BYTES_PER_UNIT));
  const id = newId();
  return pieces.map((piece, index) => `part ${id} ${index} ${pieces.length}\n${piece}`);
}

function cut(text: string, units: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; from += pieces.at(-1)?.length ?? 0) {
    const end = from + units;
    // Both halves of a character stay together: alone they are none.
    const isSplit = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') && end < text.length;
    pieces.push(text.slice(from, isSplit ? end - 1 : end));
  }
  return pieces;
}

interface UnfinishedMessage {
  readonly peer: string;
  readonly count: number;
  readonly pieces: Map<number, string>;
  size: number;
}

/** So many messages of one peer may be unfinished: parts of a few that were sent at once may come mixed. */
const PER_PEER = 4;
/** Characters of all unfinished ones. Beyond it the oldest is dropped: the protocol asks again. */
const MOST_UNFINISHED = 64 * 1024 * 1024;

/** Puts messages together again whose parts may be lost, repeated and reordered. */
export class MessageParts {
  private readonly unfinished = new Map<string, UnfinishedMessage>();
  private total = 0;

  /** The message that is whole with this text; undefined: parts of it are missing, or they are none. */
  add(peer: string, text: string): string | undefined {
    const head = HEAD.exec(text);
    if (!head) return text;
    const [index, count] = [Number(head[2]), Number(head[3])];
    if (index >= count || count > MOST_PARTS) return undefined;
    const id = JSON.stringify([peer, head[1]]);
    const message = this.unfinished.get(id) ?? this.begin(id, peer, count);
    if (message.count !== count || message.pieces.has(index)) return undefined;
    const piece = text.slice(head[0].length);
    message.pieces.set(index, piece);
    this.grow(message, piece.length);
    if (message.size > MAX_MESSAGE_BYTES) this.drop(id);
    else if (message.pieces.size === count) return this.finish(id, message);
    this.dropOldest();
    return undefined;
  }

  /** Characters that wait. */
  size(): number {
    return this.total;
  }

  private begin(id: string, peer: string, count: number): UnfinishedMessage {
    const others = [...this.unfinished].filter(([, one]) => one.peer === peer);
    if (others.length >= PER_PEER && others[0]) this.drop(others[0][0]);
    const made: UnfinishedMessage = { peer, count, pieces: new Map(), size: 0 };
    this.unfinished.set(id, made);
    return made;
  }

  private finish(id: string, { pieces, count }: UnfinishedMessage): string {
    this.drop(id);
    return Array.from({ length: count }, (_, index) => pieces.get(index) ?? '').join('');
  }

  private grow(message: UnfinishedMessage, characters: number): void {
    message.size += characters;
    this.total += characters;
  }

  private drop(id: string): void {
    this.total -= this.unfinished.get(id)?.size ?? 0;
    this.unfinished.delete(id);
  }

  private dropOldest(): void {
    for (const id of this.unfinished.keys()) {
      if (this.total <= MOST_UNFINISHED) return;
      this.drop(id);
    }
  }
}
