import type { Scope } from '../harness/scope.ts';
import type { SeenDifference } from './differences.ts';
import { startKuma } from './kuma.ts';
import { startMeridian } from './meridian.ts';
import { differencesBetween, record, type Recording } from './record.ts';
import { SESSION } from './session.ts';

/** Takes the session at a real Kuma and at Meridian, at the same time. */
export async function runBoth(
  scope: Scope,
): Promise<{ readonly kuma: Recording; readonly meridian: Recording; readonly seen: readonly SeenDifference[] }> {
  const [kuma, meridian] = await Promise.all([
    startKuma(scope).then((pair) => record(scope, SESSION, pair)),
    startMeridian(scope).then((pair) => record(scope, SESSION, pair)),
  ]);
  return { kuma, meridian, seen: differencesBetween(kuma, meridian) };
}
