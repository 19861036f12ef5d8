import { GLOBAL_PEER } from '../../resource/audience.ts';
import { isGlobal, type PlaneContents } from '../plane/plane.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';

/** Set from the first part of a first scan to its end: what is here of global is not whole. */
const FILLING = 'filling';

/** Whether a store holds a part of what global has, and not yet the whole. */
export function isFilling({ setting }: Pick<Reader, 'setting'>): boolean {
  return setting(FILLING) === 'yes';
}

export function setFilling(tx: Transaction, filling: boolean): void {
  tx.setSetting(FILLING, filling ? 'yes' : '');
}

/** Whether a zone ever had everything that global has for it. Before, denies may be missing, so it denies. */
export function hasFirstScan(reader: Reader): boolean {
  const { mirror } = reader;
  if (mirror.position(GLOBAL_PEER) !== undefined) return true;
  if (isFilling(reader)) return false;
  // After `recover` has accepted global's new store there is no position, but what the old one sent is in force.
  for (const _ of mirror.each(GLOBAL_PEER)) return true;
  return false;
}

/** Whether a control plane denies everything, since denies may be missing. `hasGlobal`: there is one that it hears. */
export function isClosed({ place, store }: PlaneContents, hasGlobal: boolean): boolean {
  return hasGlobal && !isGlobal(place) && !hasFirstScan(store);
}
