import { isDeepStrictEqual } from 'node:util';
import { withoutKnown, KNOWN } from './differences.ts';
import type { PolicyPair } from './generate.ts';
import { type ProxyAnswers, ourAnswer } from './ours.ts';

/** How Meridian's answers to pairs compare with the real Kuma's. */
export interface OrderComparison {
  pairs: number;
  readonly unknown: { readonly pair: PolicyPair; readonly kuma: ProxyAnswers; readonly ours: ProxyAnswers }[];
  /** For each known difference, in how many pairs it was seen. */
  readonly seen: Map<string, number>;
}

export function newlyCompared(): OrderComparison {
  return { pairs: 0, unknown: [], seen: new Map() };
}

/** Adds one pair to what has been compared. */
export function addPair(compared: OrderComparison, pair: PolicyPair, kuma: ProxyAnswers): void {
  const ours = ourAnswer(pair);
  compared.pairs++;
  if (isDeepStrictEqual(ours, kuma)) return;
  if (!isDeepStrictEqual(withoutKnown(ours, pair), withoutKnown(kuma, pair))) compared.unknown.push({ pair, kuma, ours });
  for (const { reason } of KNOWN.filter(({ concerns }) => concerns(pair))) compared.seen.set(reason, (compared.seen.get(reason) ?? 0) + 1);
}
