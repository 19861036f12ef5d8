import { decodeLine } from '../kds/item.js';
import type { Key } from '../resource/key.js';
import { LABEL } from '../resource/labels.js';
import { ROLES } from '../policy/role.js';
import type { Transaction } from '../resource/store.js';
import { hasUnexpectedName, putCopy } from './copy.js';
import { putOwn } from './own.js';
import { placeOf } from './peers.js';
import { isGlobal, owns, type Plane } from './plane.js';

/**
 * Renders again what refers to `target`, once it has come under another name than everybody expected (a collision). Everything else already carries
 * the right name: until its target comes, a reference is rendered with the name that the target would get.
 */
export function rerender(tx: Transaction, plane: Plane, target: Key): void {
  if (!isGlobal(plane.place) || !hasUnexpectedName(tx, target)) return;
  for (const policy of tx.referrers(target)) {
    if (owns(plane.place, policy)) rerenderOwn(tx, plane, policy);
    else rerenderCopy(tx, plane, policy);
  }
}

function rerenderOwn(tx: Transaction, plane: Plane, policy: Key): void {
  const row = tx.get(policy);
  if (!row) return;
  const { key, name, namespace, labels, spec, status } = row.resource;
  const role = ROLES.find((known) => known === labels[LABEL.role]);
  putOwn(tx, plane, { admitted: { key, name, namespace, labels, role }, spec, status });
}

function rerenderCopy(tx: Transaction, plane: Plane, policy: Key): void {
  const origin = placeOf(tx, policy.zone);
  const item = tx.mirror.get(policy.zone, policy);
  const decoded = item && decodeLine(item.wire)?.item;
  if (origin && decoded && item.refusal === undefined) putCopy(tx, plane, origin, { ...decoded, key: policy });
}
