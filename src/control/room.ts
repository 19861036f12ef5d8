import { OVER_QUOTA } from './quota.ts';
import { mostNames, type Plane } from './plane.ts';
import { zoneState } from './zones.ts';
import type { Holding, MirrorItem, Transaction } from '../resource/store.ts';

/** What still has no room ends the search after so many: else a zone could make it long. */
const MISSES = 1_000;
/** So many keys are looked at in one commit at least, to forget those that nothing is known of. */
const LOOKED_AT = 5_000;

/**
 * Judges again, in key order, what a zone's quota left no room for, if the zone holds less at global now than `before`.
 *
 *   quota 2 resources; a and b are held, c is refused   a is deleted -> c is taken
 */
export function useRoom(
  tx: Transaction,
  { quota }: Plane,
  zone: string,
  before: Holding | undefined,
  judge: (item: MirrorItem) => boolean,
): void {
  if (!quota || !before || zoneState(tx, zone) === 'disabled') return;
  const now = tx.holding(zone);
  if (now.resources >= before.resources && now.bytes >= before.bytes && now.names >= before.names) return;
  let misses = 0;
  for (const { key, reason } of tx.mirror.refusals(zone)) {
    const item = reason.startsWith(OVER_QUOTA) ? tx.mirror.get(zone, key) : undefined;
    if (item && !judge(item) && ++misses >= MISSES) return;
  }
}

/**
 * Forgets names and keys that nothing is known of, once a zone has half as many as it may: two are looked at for each that came since the last time, so that they
 * don't pile up and no commit gets slow.
 */
export function forgetUnused(tx: Transaction, { quota }: Plane, zone: string): void {
  if (!quota) return;
  const { keys } = tx.holding(zone);
  if (keys < mostNames(quota) / 2) return;
  const setting = `forgetting:${zone}`;
  const [after = 0, then = keys] = (tx.setting(setting) ?? '').split(' ').filter(Boolean).map(Number);
  const next = tx.forgetUnused(zone, after, Math.max(LOOKED_AT, 2 * (keys - then)));
  tx.setSetting(setting, `${next} ${tx.holding(zone).keys}`);
}
