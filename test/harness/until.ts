import { setTimeout as wait } from 'node:timers/promises';

/**
 * Polls `look` until it gives something else than undefined, false or an error, and returns that. Throws after
 * `seconds`, with what was expected and the last thing seen: how long something takes is never what a test asserts, so
 * the bound is generous.
 */
export async function until<T>(what: string, look: () => T | Promise<T>, seconds = 60): Promise<NonNullable<Exclude<T, false>>> {
  const end = performance.now() + seconds * 1000;
  let last: unknown;
  do {
    try {
      last = await look();
      if (last !== undefined && last !== null && last !== false) return last as NonNullable<Exclude<T, false>>;
    } catch (thrown) {
      last = thrown;
    }
    await wait(50);
  } while (performance.now() < end);
  throw new Error(`${what}: not within ${seconds} s; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`);
}
