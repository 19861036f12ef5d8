import { decodeLine } from '../../kds/item.ts';
import type { Key } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { ROLES } from '../../policy/policy-role.ts';
import type { Transaction } from '../../resource/store/store.ts';
import { nobodys } from '../../naming/find-references.ts';
import { putCopy } from './put-copy.ts';
import { putOwn } from './put-own.ts';
import { placeOf } from '../peers/known-peers.ts';
import { isGlobal, owns, type Plane } from '../plane/plane.ts';

/**
 * Renders resources again that refer to `target` by the name of its copies, and were written before that name was
 * assigned. All others have the right name already: a target gets its name with the first reference to it.
 *
 *   at global, to: MeshService web-<hash>, whom nobody knows   -> everywhere web-<hash>
 *   web of west arrives and is called so                       -> in west web, elsewhere web-<hash>
 */
export function rerender(tx: Transaction, plane: Plane, target: Key): void {
  const mayBeMeant = isGlobal(plane.place) && findKind(target.type)?.named === true;
  const name = mayBeMeant ? tx.assignedName(target) : undefined;
  if (name === undefined) return;
  for (const policy of tx.referrers(nobodys(target.type, target.mesh, name))) {
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
