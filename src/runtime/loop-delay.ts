import { Histogram, type Registry } from 'prom-client';

/** How often it is looked, ms: more often, an idle process would mostly look at itself. */
const EVERY = 100;

/**
 * How late the event loop comes to what is due: a turn that took long shows as one delay, as long as what was left of
 * it when the next look was due. Measured to the end of the process.
 */
export function measureLoopDelay(registry: Registry): void {
  const delay = new Histogram({
    name: 'meridian_event_loop_delay_seconds',
    help: 'How late the event loop came to what was due, looked at ten times a second',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  let due = performance.now() + EVERY;
  setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + EVERY;
  }, EVERY).unref();
}
