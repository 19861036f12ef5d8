/**
 * How much a text may hold, counted while it is read: what it would become in memory and in time is many times its
 * bytes. `parts`: of one document. In YAML each sign, key, value, comment, gap and line end is one; in JSON each key
 * and value. Aliases count once more as all that they stand for.
 */
export interface ReadingLimits {
  readonly parts: number;
  /** Anchors and aliases of the whole text: each alias is looked for among all of them. */
  readonly aliases: number;
  /** Empty ones too. */
  readonly documents: number;
}

/** Of a body of a request. The largest resource (512 KiB) in the longest form stays below. */
export const BODY_LIMITS: ReadingLimits = { parts: 250_000, aliases: 1_000, documents: 100_000 };

/** Of a file that somebody has on their own machine. */
export const FILE_LIMITS: ReadingLimits = { parts: 5_000_000, aliases: 10_000, documents: 1_000_000 };

const HINTS: Readonly<Record<keyof ReadingLimits, string>> = {
  parts: 'parts in one document (keys, values, signs, comments): divide it',
  aliases: 'anchors and aliases: write out what they stand for, or divide the text',
  documents: 'documents: divide the text',
};

/** Why a text that goes over a limit is not read on, and what to do. */
export function beyond(limit: keyof ReadingLimits, limits: ReadingLimits): string {
  return `has more than ${limits[limit]} ${HINTS[limit]}`;
}

export const NOT_READ = 'nothing after it was read';
