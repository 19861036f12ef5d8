import { type AttributeRequirement, holds, type Selection } from './attribute-selector.ts';
import type { Attributes } from './attributes.ts';
import { hasPlaces } from './locations.ts';

/** Tells for a set which of many selections match it: bit n is the n-th one's. */
export type ManySelections = (attributes: Attributes) => Bits;

/** 32 to a number, the first one lowest. A plain list: short typed ones take longer to make than to use. */
type Bits = readonly number[];

/**
 * How many selectors are looked at together: what is kept for one value stays small, however many selectors there are.
 */
const TOGETHER = 512;

/** For how many values of an attribute it is kept which selectors they leave. */
const KEPT = 1_024;
/** Longer ones are looked at each time: whoever asks can make them up. */
const KEPT_LENGTH = 256;

/** A selector, and whose it is. */
interface OneSelector {
  readonly selector: Selection[number];
  readonly owner: number;
}

/**
 * Prepares many selections, so that asking takes as long as there are attributes that they name, and hardly longer for
 * each selection: an attribute's value leaves the same selectors each time (`holds`), and those that all attributes
 * leave match. It is the same as asking `selects` for each.
 */
export function indexSelections(selections: readonly Selection[]): ManySelections {
  const all = selections.flatMap((selection, owner) => selection.map((selector): OneSelector => ({ selector, owner })));
  const parts = Array.from({ length: Math.ceil(all.length / TOGETHER) }, (_, part) => {
    const some = all.slice(part * TOGETHER, (part + 1) * TOGETHER);
    return { owners: some.map(({ owner }) => owner), leaves: indexSelectors(some.map(({ selector }) => selector)) };
  });
  const empty = none(selections.length);
  return (attributes) => {
    const matching = empty.slice();
    for (const { owners, leaves } of parts) {
      const left = leaves(attributes);
      forEachInBoth(left, left, (bit) => setBit(matching, owners[bit] ?? 0));
    }
    return matching;
  };
}

/** Calls with the number of each bit that is set in both, from the first one. */
export function forEachInBoth(a: ArrayLike<number>, b: ArrayLike<number>, then: (bit: number) => void): void {
  for (let word = 0; word < a.length; word++) {
    for (let left = (a[word] ?? 0) & (b[word] ?? 0); left !== 0; left &= left - 1) then(word * 32 + 31 - Math.clz32(left & -left));
  }
}

/** What one selector asks of an attribute. */
interface AskedOf {
  readonly bit: number;
  readonly requirement: AttributeRequirement;
}

/** An attribute that selectors ask for. */
interface AskedKey {
  readonly key: string;
  readonly asked: readonly AskedOf[];
  /** The values that selectors name. */
  readonly named: ReadonlySet<string>;
  /** By a value, the selectors that it leaves. */
  readonly kept: Map<string | undefined | typeof UNNAMED, Bits>;
}

function indexSelectors(selectors: readonly Selection[number][]): ManySelections {
  const asked = new Map<string, AskedOf[]>();
  for (const [bit, selector] of selectors.entries()) {
    for (const requirement of selector) {
      const before = asked.get(requirement.key);
      if (before) before.push({ bit, requirement });
      else asked.set(requirement.key, [{ bit, requirement }]);
    }
  }
  const all = none(selectors.length);
  for (const bit of selectors.keys()) setBit(all, bit);
  const keys = [...asked].map(([key, those]): AskedKey => {
    return { key, asked: those, named: new Set(those.flatMap(({ requirement }) => requirement.values)), kept: new Map() };
  });
  return (attributes) => {
    const left = all.slice();
    for (const one of keys) {
      const value = attributes.get(one.key);
      const bits = one.kept.get(value) ?? leftBy(one, value, all);
      for (let word = 0; word < left.length; word++) left[word] = (left[word] ?? 0) & (bits[word] ?? 0);
    }
    return left;
  };
}

/** Which selectors a value leaves: those that ask nothing of the attribute, or what it has. undefined: it is absent. */
function leftBy({ key, asked, named, kept }: AskedKey, value: string | undefined, all: Bits): Bits {
  const isNamed = value === undefined || named.has(value) || hasPlaces(key);
  const failing = () => asked.filter(({ requirement }) => !holds(requirement, value));
  const left = (isNamed ? undefined : kept.get(UNNAMED)) ?? allBut(all, failing());
  if (kept.size >= KEPT) kept.clear();
  if (!isNamed) kept.set(UNNAMED, left);
  if (value === undefined || value.length <= KEPT_LENGTH) kept.set(value, left);
  return left;
}

function allBut(all: Bits, asked: readonly AskedOf[]): Bits {
  const left = all.slice();
  for (const { bit } of asked) left[bit >>> 5] = (left[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
  return left;
}

/** All values that no selector names leave the same ones. */
const UNNAMED = Symbol('a value that no selector names');

function none(count: number): number[] {
  return Array.from({ length: Math.ceil(count / 32) }, () => 0);
}

export function setBit(bits: number[] | Uint32Array, bit: number): void {
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
}
