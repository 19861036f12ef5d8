import type { Scope } from '../harness/scope.ts';
import { compare } from './compare.ts';
import type { SeenDifference } from './differences.ts';
import { type ComparedAnswer, type PlaneUrls, type ComparedStep, take, titleOf } from './step.ts';

/** The answers to a session, in its order. */
export type Recording = readonly { readonly step: string; readonly answer: ComparedAnswer }[];

/** Takes every step at a pair, one after another. */
export async function record(scope: Scope, session: readonly ComparedStep[], pair: PlaneUrls): Promise<Recording> {
  const folder = scope.folder();
  const titles = numbered(session.map(titleOf));
  const recording = [];
  for (const [index, step] of session.entries()) recording.push({ step: titles[index] ?? '', answer: await take(step, pair, folder) });
  return recording;
}

/** A step that is taken again is `... (2)`. */
function numbered(titles: readonly string[]): string[] {
  const times = new Map<string, number>();
  return titles.map((title) => {
    const time = (times.get(title) ?? 0) + 1;
    times.set(title, time);
    return time === 1 ? title : `${title} (${time})`;
  });
}

/** Where the answers of one session differ. */
export function differencesBetween(kuma: Recording, meridian: Recording): SeenDifference[] {
  return kuma.flatMap(({ step, answer }, index) => compare(answer, meridian[index]?.answer).map((difference) => ({ ...difference, step })));
}
