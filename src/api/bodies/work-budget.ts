import { RefillLevels, type RefillRate } from '../../control/plane/refill-level.ts';
import { MeridianError } from '../../errors.ts';
import type { Principal } from '../auth/principal.ts';

/** Milliseconds of work: twenty seconds at once, then a fifth of a core. */
const RATE: RefillRate = { burst: 20_000, perSecond: 200 };
/** What is asked, and what makes it dear, for people. */
const DRY_RUNS = { asked: 'the dry runs', of: 'documents' };

/**
 * What questions cost this control plane, by who asks. Whoever has something left may ask, and is charged for what it
 * took: then it may be less than nothing, and the next question waits. Whoever asks from this machine without a token
 * is not charged. `now`: milliseconds, monotonic.
 *
 *   {burst: 1000, perSecond: 100}: 1,500 charged -> the next one 6 s later
 */
export class WorkBudget {
  private readonly rate: RefillRate;

  readonly #levels: RefillLevels;

  constructor(now: () => number, rate: RefillRate = RATE) {
    this.rate = rate;
    this.#levels = new RefillLevels(rate, now);
  }

  /** `what`: as the refusal calls it. Out: how the work is charged. Throws `rate_limited`. */
  open({ tokenId }: Pick<Principal, 'tokenId'>, what = DRY_RUNS): (took: number) => void {
    if (tokenId === undefined) return () => {};
    const { left } = this.#levels.of(tokenId);
    if (left <= 0) {
      const wait = Math.max(1, Math.ceil(-left / this.rate.perSecond));
      throw new MeridianError('rate_limited', `${what.asked} have to wait: what this token asked took too much work`, {
        hint: `try again in ${wait} s, or with fewer ${what.of}`,
        retryAfter: wait,
      });
    }
    return (took) => {
      const level = this.#levels.of(tokenId);
      this.#levels.set(tokenId, { ...level, left: level.left - took });
    };
  }
}
