import { putOwn } from '../put/put-own.ts';
import { dropCopy } from '../put/put-copy.ts';
import { forgetPeer } from '../peers/known-peers.ts';
import { zoneKey, zoneState } from '../peers/zone-state.ts';
import type { Plane } from '../plane/plane.ts';
import { writeReported } from '../peers/reported-refusals.ts';
import { MeridianError } from '../../errors.ts';
import { admit } from '../../policy/admit-draft.ts';
import type { Draft } from '../../resource/resource.ts';
import type { Transaction } from '../../resource/store/store.ts';

/**
 * A zone that introduced itself for the first time gets its Zone, so that an operator sees it and can disable it. One
 * that was disabled when it was deleted is disabled still.
 */
export function registerZone(tx: Transaction, plane: Plane, name: string): void {
  if (tx.get(zoneKey(name))) return;
  const enabled = !tx.setting(deletedAs(name));
  const draft: Draft = { type: 'Zone', mesh: '', name, namespace: undefined, labels: {}, spec: { enabled } };
  const result = admit(draft, plane.place);
  if ('admitted' in result) putOwn(tx, plane, { admitted: result.admitted, spec: draft.spec });
}

/** The setting that is `disabled` for a zone that was when it was deleted. */
function deletedAs(name: string): string {
  return `deleted:${name}`;
}

/**
 * Forgets a zone: its Zone, its copies here (and so everywhere), and all that was kept of the exchange with it. Names
 * stay assigned for good. Whether it is still there is asked before. Throws `not_found`.
 */
export function deleteZone(tx: Transaction, plane: Plane, name: string): void {
  tx.setSetting(deletedAs(name), zoneState(tx, name) === 'disabled' ? 'disabled' : '');
  if (!tx.delete(zoneKey(name))) throw new MeridianError('not_found', `zone ${name} does not exist`);
  for (const { key } of [...tx.mirror.each(name)]) dropCopy(tx, name, key);
  tx.mirror.clearStage(name);
  tx.mirror.setPosition(name, undefined);
  writeReported(tx, name, '', [], plane.now());
  forgetPeer(tx, name);
}
