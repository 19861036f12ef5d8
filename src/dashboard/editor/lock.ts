import type { ControlPlaneMode } from '../mode.ts';
import type { ServedKind } from '../resources/kinds.ts';

/**
 * Why somebody with this role can't write here, as far as the page knows: the control plane judges each write anew.
 * '': they can. Without a kind: whether anything can be written.
 */
export function lockOf(role: string, { isGlobal }: ControlPlaneMode, kind?: ServedKind): string {
  if (kind?.readOnly) return `Nobody writes a ${kind.name} at this control plane.`;
  if (role === 'admin' || (role === 'zone-operator' && !isGlobal)) return '';
  return `You may look only: to write here one is an admin${isGlobal ? '' : ", or this zone's operator"}.`;
}
