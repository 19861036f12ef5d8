/**
 * How a value may be compared. A new one is added here: the compiler then lists every place that must know what it
 * means, for each of them folds matches (`foldMatch`), or has a table by their types.
 */
export const MATCH_TYPES = ['Exact', 'Prefix'] as const;

export type MatchType = (typeof MATCH_TYPES)[number];

/** How a value is compared: whole, or as a beginning in whole segments (docs/design/access.md#identities). */
export interface StringMatch {
  readonly type: MatchType;
  readonly value: string;
}

/** What is made of a match, for each type. */
export type MatchCases<T> = Readonly<Record<MatchType, (value: string) => T>>;

/**
 * Makes what the case of the match's type makes of its value. A slash at a prefix's end says nothing: `Prefix` is given
 * the value without it.
 *
 *   Prefix spiffe://td/ns/  ->  cases.Prefix('spiffe://td/ns')
 */
export function foldMatch<T>({ type, value }: StringMatch, cases: MatchCases<T>): T {
  switch (type) {
    case 'Exact':
      return cases.Exact(value);
    case 'Prefix':
      return cases.Prefix(withoutSlash(value));
  }
}

/**
 * Compares whole, or as a beginning in whole segments.
 *
 *   Prefix spiffe://td/ns/pay  matches  spiffe://td/ns/pay and spiffe://td/ns/pay/sa/api,  not  spiffe://td/ns/payroll
 */
export function matchesText(match: StringMatch, text: string): boolean {
  return foldMatch(match, {
    Exact: (value) => text === value,
    Prefix: (start) => text === start || text.startsWith(`${start}/`),
  });
}

export function withoutSlash(value: string): string {
  return value.endsWith('/') ? value.slice(0, -1) : value;
}
