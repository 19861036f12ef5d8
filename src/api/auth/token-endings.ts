import type { TokenEnd } from './principal.ts';

/** The longest time that a timer can have: 24 days. A client that is told too early shows its token again. */
const FARTHEST = 2 ** 31 - 1;

/** Who waits for the end of a token, by its id. */
export class TokenEndings {
  private readonly waiting = new Map<string, Set<(why: TokenEnd) => void>>();

  /**
   * Calls `ended` once: as soon as `end` is told of the id, or after `left` milliseconds. The result takes that back.
   */
  onEnd(id: string, left: number, ended: (why: TokenEnd) => void): () => void {
    const timer = setTimeout(() => tell('expired'), Math.min(Math.max(left, 0), FARTHEST)).unref();
    const tell = (why: TokenEnd): void => {
      stop();
      ended(why);
    };
    const stop = (): void => {
      clearTimeout(timer);
      const all = this.waiting.get(id);
      all?.delete(tell);
      if (all?.size === 0) this.waiting.delete(id);
    };
    this.waiting.set(id, (this.waiting.get(id) ?? new Set()).add(tell));
    return stop;
  }

  end(id: string, why: TokenEnd): void {
    for (const tell of [...(this.waiting.get(id) ?? [])]) tell(why);
  }
}
