import { readFileSync } from 'node:fs';
import type { Difference } from './compare.ts';

/** A difference that is known, and why it is one. */
export interface KnownDifference {
  /** What it is about: the heading in docs/kuma-differences.md. */
  readonly about: string;
  /** Which steps, by their titles; `*` is any text. */
  readonly steps: readonly string[];
  /** Which fields; `*` is any text. */
  readonly fields: readonly string[];
  /** Only one of the two has the field; absent: both have it, with different values. */
  readonly only?: 'kuma' | 'meridian';
  readonly reason: string;
}

/** A difference, and at which step it was seen. */
export interface SeenDifference extends Difference {
  readonly step: string;
}

export function readKnown(): readonly KnownDifference[] {
  return JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8')) as KnownDifference[];
}

/** What was seen and is not known, and what is known and was not seen. */
export function judge(
  seen: readonly SeenDifference[],
  known: readonly KnownDifference[],
): { readonly unknown: readonly SeenDifference[]; readonly gone: readonly KnownDifference[] } {
  const tests = known.map((entry) => ({ entry, isIt: testOf(entry) }));
  return {
    unknown: seen.filter((one) => !tests.some(({ isIt }) => isIt(one))),
    gone: tests.filter(({ isIt }) => !seen.some(isIt)).map(({ entry }) => entry),
  };
}

function testOf({ steps, fields, only }: KnownDifference): (one: SeenDifference) => boolean {
  const [isStep, isField] = [anyOf(steps), anyOf(fields)];
  return ({ step, field, kuma, meridian }) => {
    const where = meridian === undefined ? 'kuma' : kuma === undefined ? 'meridian' : undefined;
    return where === only && isStep(step) && isField(field);
  };
}

function anyOf(patterns: readonly string[]): (text: string) => boolean {
  const tests = patterns.map((pattern) => new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's'));
  return (text) => tests.some((test) => test.test(text));
}

function escaped(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
}
