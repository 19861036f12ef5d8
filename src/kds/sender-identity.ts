import { type Body, LATE, type Notice, type Speaker } from './protocol.ts';

/**
 * The processes of one store in the order of their starts; a recovered store's later term comes after all that was
 * before.
 */
export function compareSpeakers(a: Speaker, b: Speaker): number {
  if (a.term !== b.term) return a.term - b.term;
  if (a.incarnation !== b.incarnation) return a.incarnation - b.incarnation;
  return a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : 0;
}

/**
 * Compares `from` with the present speaker: above 0 is later, 0 the same, below 0 earlier. A speaker whose store is no
 * longer pinned does not count.
 */
export function orderOf(speaker: Speaker | undefined, from: Speaker): number {
  return speaker && speaker.store === from.store ? compareSpeakers(from, speaker) : 1;
}

/** An earlier process that was heard although a later one speaks, and since when: both may be alive. */
export interface Rival {
  readonly speaker: Speaker;
  readonly since: number;
}

/**
 * Who rivals a speaker, after `from` was heard. A late message of the same process, from before its store was
 * recovered, has an earlier term: it is no rival.
 */
export function rivalOf(
  { speaker, rival }: { readonly speaker?: Speaker | undefined; readonly rival?: Rival | undefined },
  from: Speaker,
  now: number,
): Rival | undefined {
  const known = [speaker?.instance, rival?.speaker.instance];
  return known.includes(from.instance) ? rival : { speaker: from, since: now };
}

/**
 * What ends a rival, once the later process is heard again; undefined: it may be gone, and its message was on its way.
 */
export function noticeTo({ speaker, since }: Rival, now: number): Notice | undefined {
  if (now - since < LATE) return undefined;
  return { kind: 'notice', code: 'superseded', message: 'a later process has this identity', instance: speaker.instance };
}

/** A process of another store than the pinned one, and when it was last heard (monotonic ms). */
export interface Stranger {
  readonly store: string;
  readonly message: string;
  readonly at: number;
}

/** Before the first contact nothing is pinned. */
export function isPinned({ store }: Speaker, pin: string | undefined): boolean {
  return pin === undefined || pin === store;
}

export function strangerOf({ store }: Speaker, pin: string | undefined, at: number): Stranger {
  return { store, message: `store ${store} speaks for an identity that belongs to store ${pin ?? 'nobody'}`, at };
}

/**
 * Whether the cursor that a message gives out, if it does, is of the store and term that speak: nobody vouches for
 * another one.
 */
export function isOf({ store, term }: Speaker, body: Body): boolean {
  const given = body.kind === 'status' ? body.head : body.kind === 'page' || body.kind === 'push' ? body.end : undefined;
  return given === undefined || (given.store === store && given.term === term);
}

/** What a store that was restored says instead of what it is asked for. */
export const HALTED: Notice = {
  kind: 'notice',
  code: 'diverged',
  message: 'this store was restored: it waits for meridianctl recover',
};

/**
 * Whether the peer that is heard is halted, by what was known and what it says: a store that was restored says no head,
 * to those too that never ask it for anything. Other messages, its own questions among them, say nothing about that.
 */
export function haltedBy<T extends Pick<Notice, 'code' | 'message'>>(stopped: T | undefined, body: Body) {
  const halted = stopped?.code === 'diverged' ? stopped : undefined;
  if (body.kind !== 'status') return halted;
  return body.head ? undefined : (halted ?? { code: HALTED.code, message: HALTED.message });
}
