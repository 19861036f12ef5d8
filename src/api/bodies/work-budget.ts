import { LRUCache } from 'lru-cache';
import { MeridianError } from '../../errors.ts';
import type { Principal } from '../auth/principal.ts';

/** Milliseconds of work: what is there at once, and what comes back in each second. */
interface WorkRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Twenty seconds at once, then a fifth of a core. */
const RATE: WorkRate = { burst: 20_000, perSecond: 200 };
/** What is asked, and what makes it dear, for people. */
const DRY_RUNS = { asked: 'the dry runs', of: 'documents' };

const MOST_KEYS = 10_000;

interface Account {
  left: number;
  at: number;
}

/**
 * What questions cost this control plane, by who asks. Whoever has something left may ask, and is charged for what it
 * took: then it may be less than nothing, and the next question waits. Whoever asks from this machine without a token
 * is not charged. `now`: milliseconds, monotonic.
 *
 *   {burst: 1000, perSecond: 100}: 1,500 charged -> the next one 6 s later
 */
export class WorkBudget {
  private readonly now: () => number;
  private readonly rate: WorkRate;

  readonly #accounts = new LRUCache<string, Account>({ max: MOST_KEYS });

  constructor(now: () => number, rate: WorkRate = RATE) {
    this.now = now;
    this.rate = rate;
  }

  /** `what`: as the refusal calls it. Out: how the work is charged. Throws `rate_limited`. */
  open({ tokenId }: Pick<Principal, 'tokenId'>, what = DRY_RUNS): (took: number) => void {
    if (tokenId === undefined) return () => {};
    const { left } = this.#account(tokenId);
    if (left <= 0) {
      const wait = Math.max(1, Math.ceil(-left / this.rate.perSecond));
      throw new MeridianError('rate_limited', `${what.asked} of this token took too much work`, {
        hint: `try again in ${wait} s, or with fewer ${what.of}`,
        retryAfter: wait,
      });
    }
    return (took) => {
      this.#account(tokenId).left -= took;
    };
  }

  #account(key: string): Account {
    const [now, { burst, perSecond }] = [this.now(), this.rate];
    const account = this.#accounts.get(key) ?? { left: burst, at: now };
    account.left = Math.min(burst, account.left + ((now - account.at) / 1000) * perSecond);
    account.at = now;
    this.#accounts.set(key, account);
    return account;
  }
}
