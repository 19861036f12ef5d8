/**
 * What a server asks for the time: `now` in milliseconds that only go forward, for waiting; `time` in RFC 3339, for
 * show.
 */
export interface Clock {
  now(): number;
  time(): string;
}

export const SYSTEM_CLOCK: Clock = { now: () => performance.now(), time: () => new Date().toISOString() };
