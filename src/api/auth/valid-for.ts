/** A year: whoever keeps a token for longer has forgotten it. */
const LONGEST = 366 * 24 * 3600;

/** How it is to be written, as the end of "must be ...". */
export const VALID_FOR = 'like 24h, 90m or 1h30m0s, and at most a year (8784h)';

/**
 * `24h0m0s` (as Go writes it), `90m`, `30s` -> seconds; undefined for any other text, for zero, and for more than a
 * year.
 */
export function secondsOf(text: unknown): number | undefined {
  const parts = typeof text === 'string' ? /^(?:(\d{1,6})h)?(?:(\d{1,6})m)?(?:(\d{1,9})s)?$/.exec(text) : null;
  if (!parts) return undefined;
  const [hours = 0, minutes = 0, seconds = 0] = parts.slice(1).map((digits) => Number(digits ?? 0));
  const total = hours * 3600 + minutes * 60 + seconds;
  return total > 0 && total <= LONGEST ? total : undefined;
}
