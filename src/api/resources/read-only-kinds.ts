import { isGlobal } from '../../control/plane/plane.ts';
import { MeridianError } from '../../errors.ts';
import { isInsight, type Kind } from '../../resource/kinds.ts';
import type { Place } from '../../resource/resource.ts';

/**
 * Whether nobody may write a kind through this control plane: it is written elsewhere, or by control planes alone
 * (insights).
 */
export function isReadOnly(kind: Kind, place: Place): boolean {
  return isInsight(kind) || !(isGlobal(place) ? kind.writtenBy.global : kind.writtenBy.zone);
}

/** Throws `read_only` (405) for such a kind. */
export function refuseReadOnlyKind(place: Place, kind: Kind): void {
  if (!isReadOnly(kind, place)) return;
  const elsewhere = isGlobal(place) ? 'zone' : 'global';
  const hint = isInsight(kind) ? 'control planes write it themselves' : `apply it on the ${elsewhere} control plane`;
  throw new MeridianError('read_only', `a ${kind.type} can't be modified on this control plane`, { hint });
}
