import { createHash, timingSafeEqual } from 'node:crypto';
import { formatKri, type Key } from '../../resource/key.ts';

/** How long a token may be used. ms */
export const TOKEN_LIFE = 5_000;
/** How many tokens of one asking zone may be unused: more are not given. */
export const MOST_TOKENS = 1_000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What a token is good for: one use, by one caller of one zone, at one service. */
interface TokenGrant {
  /** Whose caller it is, as the transport proved it. */
  readonly zone: string;
  /** A hash of who may use it, and for which service. */
  readonly use: Buffer;
  /** Monotonic, ms. */
  readonly until: number;
}

/** What became of a token that was shown. A closed set: metrics have a line for each. */
export const TOKEN_OUTCOMES = ['consumed', 'unknown', 'late', 'other-use'] as const;

type TokenOutcome = (typeof TOKEN_OUTCOMES)[number];

export type TokenVerdict =
  | { readonly outcome: 'consumed'; readonly zone: string }
  | { readonly outcome: Exclude<TokenOutcome, 'consumed'> };

export interface TokenMachine {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** 256 bits that nobody can guess, as base64url. */
  readonly secret: () => string;
}

/**
 * The tokens that this process gave out for allowed calls (docs/design/attributes.md#tokens). Only their hashes are
 * kept, in memory: they die with the process. Whoever shows one uses it up, also for something that it is not good
 * for: then somebody has it who should not.
 */
export class IssuedTokens {
  readonly #machine: TokenMachine;
  /** By hash, in the order in which they end. */
  readonly #grants = new Map<string, TokenGrant>();
  readonly #unused = new Map<string, number>();

  constructor(machine: TokenMachine) {
    this.#machine = machine;
  }

  /** `caller`: its SPIFFE ID. undefined: the zone has as many unused ones as it may. */
  issue(zone: string, caller: string, service: Key): string | undefined {
    const now = this.#machine.now();
    this.#forgetEnded(now);
    const unused = this.#unused.get(zone) ?? 0;
    if (unused >= MOST_TOKENS) return undefined;
    const token = this.#machine.secret();
    this.#grants.set(hashOf(token).toString('hex'), { zone, use: useOf(caller, service), until: now + TOKEN_LIFE });
    this.#unused.set(zone, unused + 1);
    return token;
  }

  /**
   * Uses a token up. It is looked for by its hash, and compared by hashes in constant time: how long this takes says
   * nothing of a token that exists.
   */
  consume(token: string, caller: string, service: Key): TokenVerdict {
    const id = TOKEN.test(token) ? hashOf(token).toString('hex') : '';
    const grant = this.#grants.get(id);
    if (!grant) return { outcome: 'unknown' };
    this.#forget(id, grant);
    if (grant.until <= this.#machine.now()) return { outcome: 'late' };
    return timingSafeEqual(grant.use, useOf(caller, service)) ? { outcome: 'consumed', zone: grant.zone } : { outcome: 'other-use' };
  }

  /** How many may be used yet, or have ended since the last was given. */
  get size(): number {
    return this.#grants.size;
  }

  #forgetEnded(now: number): void {
    for (const [id, grant] of this.#grants) {
      if (grant.until > now) return;
      this.#forget(id, grant);
    }
  }

  #forget(id: string, { zone }: TokenGrant): void {
    this.#grants.delete(id);
    const left = (this.#unused.get(zone) ?? 1) - 1;
    if (left > 0) this.#unused.set(zone, left);
    else this.#unused.delete(zone);
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function useOf(caller: string, service: Key): Buffer {
  return hashOf(JSON.stringify([caller, formatKri(service)]));
}
