import { TOKEN_USES } from './exchange-counts.ts';

/** What comes of a call about which an Envoy asks. A closed set: metrics have a line for each. */
const CHECK_OUTCOMES = [...TOKEN_USES, 'no-token', 'no-identity', 'not-asked', 'no-service', 'several-services'] as const;

export type CheckOutcome = (typeof CHECK_OUTCOMES)[number];

/** For the caller and the log. */
export const OUTCOME_REASONS: Readonly<Record<CheckOutcome, string>> = {
  consumed: 'the token lets it in',
  unknown: 'no token of this zone was shown, or it was used before',
  late: 'the token has ended',
  'other-use': 'the token is for another caller or service',
  'disabled-zone': "the caller's zone is disabled",
  'other-zone': 'the identity is of another zone than the token',
  'no-token': 'a caller of another zone needs an access token',
  'no-identity': 'the caller has no SPIFFE ID',
  'not-asked': 'this inbound is not one at which the zone is asked',
  'no-service': 'no MeshService leads to this inbound',
  'several-services': 'several MeshServices lead to this inbound',
};

export interface CheckCount {
  readonly verdict: 'allow' | 'deny';
  readonly reason: CheckOutcome;
  readonly count: number;
}

/** How often Envoys asked about calls, by what came of it. */
export class CheckCounts {
  readonly #counts = new Map<CheckOutcome, number>(CHECK_OUTCOMES.map((outcome) => [outcome, 0]));

  checked(outcome: CheckOutcome): void {
    this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1);
  }

  read(): readonly CheckCount[] {
    return [...this.#counts].map(([reason, count]) => ({ verdict: reason === 'consumed' ? 'allow' : 'deny', reason, count }));
  }
}
