import { zoneState } from '../peers/zone-state.ts';
import { OVER_QUOTA } from './zone-quota.ts';
import { mostNames, type Plane } from '../plane/plane.ts';
import type { Holding, MirrorItem, Transaction } from '../../resource/store/store.ts';

/** The search ends after this many items that still have no room. Else a zone could make it long. */
const MISSES = 1_000;
/** In one commit at least this many keys are checked, to forget those that nothing uses. */
const LOOKED_AT = 5_000;

/**
 * Judges items again that had no room in a zone's quota, in key order, if the zone now holds less than `before`.
 *
 *   quota 2 resources; a and b are held, c is refused   a is deleted -> c is taken
 */
export function retryOverQuota(
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
 * Forgets names and keys that nothing is known of, once a zone has half as many as it may: two are looked at for each
 * that came since the last time, so that they don't pile up and no commit gets slow.
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
