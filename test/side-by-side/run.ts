import type { Scope } from '../harness/scope.js';
import type { Seen } from './differences.js';
import { startKuma } from './kuma.js';
import { startMeridian } from './meridian.js';
import { differencesBetween, record, type Recording } from './record.js';
import { SESSION } from './session.js';

/** Takes the session at a real Kuma and at Meridian, at the same time. */
export async function runBoth(
  scope: Scope,
): Promise<{ readonly kuma: Recording; readonly meridian: Recording; readonly seen: readonly Seen[] }> {
  const [kuma, meridian] = await Promise.all([
    startKuma(scope).then((pair) => record(scope, SESSION, pair)),
    startMeridian(scope).then((pair) => record(scope, SESSION, pair)),
  ]);
  return { kuma, meridian, seen: differencesBetween(kuma, meridian) };
}
