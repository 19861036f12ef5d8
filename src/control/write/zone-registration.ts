import { putOwn } from '../put/put-own.ts';
import { dropCopy } from '../put/put-copy.ts';
import { forgetPeer } from '../peers/known-peers.ts';
import { zoneKey, zoneState } from '../peers/zone-state.ts';
import type { Plane } from '../plane/plane.ts';
import { NO_REFUSALS, writeReported } from '../peers/reported-refusals.ts';
import { MeridianError } from '../../errors.ts';
import { admit } from '../../policy/admit-draft.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import type { Key } from '../../resource/key.ts';
import { type Labels, userLabels } from '../../resource/labels.ts';
import type { Draft, Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Transaction } from '../../resource/store/store.ts';

/**
 * A zone that introduced itself for the first time gets its Zone, so that an operator sees it and can disable it. One
 * that was disabled when it was deleted is disabled still. `attributes`: what it says of its own site
 * (docs/design/attributes.md#a-sites-attributes); where they can't be those of a site, none is taken. A Zone that is
 * there stays as its operator wrote it.
 */
export function registerZone(tx: Transaction, plane: Plane, name: string, attributes: Labels = {}): void {
  if (tx.get(zoneKey(name))) return;
  const enabled = !tx.setting(deletedAs(name));
  const without = { name, labels: {}, spec: { enabled } };
  const isSilent = Object.keys(attributes).length === 0;
  if (isSilent || !writeZone(tx, plane, { ...without, spec: { enabled, attributes } })) writeZone(tx, plane, without);
}

function writeZone(tx: Transaction, plane: Plane, { name, labels, spec }: Pick<Resource, 'name' | 'labels' | 'spec'>): boolean {
  const draft: Draft = { type: 'Zone', mesh: '', name, namespace: undefined, labels: userLabels(labels), spec };
  if (validateDraft(draft).length > 0) return false;
  const result = admit(draft, plane.place);
  if ('admitted' in result) putOwn(tx, plane, { admitted: result.admitted, spec });
  return 'admitted' in result;
}

/** Zones that were written before Zones went to the zones: from now on they do. */
export function passOnZones(plane: Plane): void {
  const kept = [...plane.store.each('Zone')].filter(({ audience }) => audience.to === 'none');
  if (kept.length > 0) plane.store.commit((tx) => kept.forEach(({ resource }) => writeZone(tx, plane, resource)));
}

/** The setting that is `disabled` for a zone that was when it was deleted. */
function deletedAs(name: string): string {
  return `deleted:${name}`;
}

/**
 * Forgets a zone: its Zone, its copies here (and so everywhere), and all that was kept of the exchange with it. Names
 * stay assigned for good. In steps. Whether it is still there is asked before. Throws `not_found`.
 */
export function* deleteZone(tx: Transaction, plane: Plane, name: string): Parts<void> {
  tx.setSetting(deletedAs(name), zoneState(tx, name) === 'disabled' ? 'disabled' : '');
  if (!tx.delete(zoneKey(name))) throw new MeridianError('not_found', `zone ${name} does not exist`);
  const keys: Key[] = [];
  for (const { key } of tx.mirror.each(name)) {
    keys.push(key);
    yield;
  }
  for (const key of keys) {
    dropCopy(tx, name, key);
    yield;
  }
  tx.mirror.clearStage(name);
  tx.mirror.setPosition(name, undefined);
  writeReported(tx, name, NO_REFUSALS, plane.now());
  forgetPeer(tx, name);
}
