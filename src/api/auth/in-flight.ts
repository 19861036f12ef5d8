import type { FastifyReply, FastifyRequest } from 'fastify';
import { MeridianError } from '../../errors.ts';
import { addressKey } from './client-address.ts';

/** At once, of one token or one address: bodies and answers are held in memory. */
const MOST = 64;

/** Counts what is being answered. Whoever asks from this machine without a token is not limited. */
export class InFlight {
  private readonly counts = new Map<string, number>();

  /** Until the answer is out, or the client gone. Throws `rate_limited`. */
  enter({ principal, raw }: FastifyRequest, reply: FastifyReply): void {
    if (principal?.source === 'loopback') return;
    const key = principal?.tokenId ?? addressKey(raw);
    const count = this.counts.get(key) ?? 0;
    if (count >= MOST) throw new MeridianError('rate_limited', `there are ${MOST} requests of this token at once`, { retryAfter: 1 });
    this.counts.set(key, count + 1);
    reply.raw.once('close', () => this.leave(key));
  }

  private leave(key: string): void {
    const left = (this.counts.get(key) ?? 0) - 1;
    if (left > 0) this.counts.set(key, left);
    else this.counts.delete(key);
  }
}
