import { type HttpCaller, httpCaller } from '../../test/harness/caller.ts';
import type { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { median, report } from '../report.ts';
import { apply } from '../system.ts';
import { identity, permission, resource, startSite } from './site.ts';

const IDENTITIES = 10_000;
const REQUESTS = 3_000;
/** A resource has a limit of size. */
const PER_POLICY = 1_000;
const REPEATS = 3;

/**
 * Requests through one Envoy to inbounds with and without identities, in turn, each over its own mTLS connection that
 * stays open.
 */
export async function measureLatency(scope: Scope): Promise<void> {
  const { east, authority, ports } = await startSite(scope, ['none', 'one', 'many']);
  const files = await authority.issue('web', [identity('web')]);
  const at = (sectionName: string) => ({ kind: 'Dataplane', name: 'backend', sectionName });
  const all = [...Array.from({ length: IDENTITIES - 1 }, (_, index) => identity(`client-${index}`)), identity('web')];
  const many = Array.from({ length: IDENTITIES / PER_POLICY }, (_, index) =>
    permission(`many-${index}`, all.slice(index * PER_POLICY, (index + 1) * PER_POLICY), at('many')),
  );
  const allow = [{ method: 'GET' }];
  await apply(east, [
    resource('MeshTrafficPermission', 'none', { targetRef: at('none'), rules: [{ default: { allow } }] }),
    permission('one', [identity('web')], at('one')),
    ...many,
  ]);
  const callers = Object.keys(ports).map((name) => httpCaller(scope, ports[name] ?? 0, files));
  for (const caller of callers) await until('the caller gets in', async () => (await caller.ask()).status === 200);
  for (let repeat = 1; repeat <= REPEATS; repeat++) await compare(callers, repeat);
}

async function compare(callers: readonly HttpCaller[], repeat: number): Promise<void> {
  const times: number[][] = callers.map(() => []);
  for (let request = -500; request < REQUESTS; request++) {
    for (let turn = 0; turn < callers.length; turn++) {
      const which = (turn + request + 3_000) % callers.length;
      const started = performance.now();
      const answer = await callers[which]?.ask();
      if (answer?.status !== 200) throw new Error(`a caller got ${answer?.status}`);
      if (request >= 0) times[which]?.push(performance.now() - started);
    }
  }
  const [none = [], one = [], many = []] = times;
  for (const [what, of] of [
    ['median', median],
    ['mean', mean],
  ] as const) {
    const [bare, single, all] = [of(none), of(one), of(many)];
    const figure = `${micro(bare)}, ${micro(single)}, ${micro(all)}; ${IDENTITIES} to none ${(all / bare).toFixed(3)}`;
    report(`request ${what} with no, 1, ${IDENTITIES} identities, ${REQUESTS} each (${repeat})`, figure);
  }
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

function micro(ms: number): string {
  return `${(ms * 1_000).toFixed(0)} us`;
}
