import { enforcementOf, NOT_SERVED, UNASKED } from '../../policy/enforcement-table.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { placesOf } from './listen-address.ts';
import type { PlaneContents } from '../plane/plane.ts';

/** Why no listener is served for an inbound, so that nothing is enforced there; undefined: it is. */
export function whyNotServed(proxy: Proxy, inbound: Inbound): string | undefined {
  const unserved = NOT_SERVED[proxy.type];
  if (unserved !== undefined) return unserved;
  // One place for each inbound, in their order; a proxy without ports has none.
  const placed = placesOf(proxy)[proxy.inbounds.indexOf(inbound)];
  if (!placed) return 'this proxy has no inbound that could be served';
  return 'problem' in placed ? placed.problem : undefined;
}

/** What a mesh has that was written to allow or forbid access, though nothing asks it. */
export function unaskedNotes({ store }: PlaneContents, mesh: string): string[] {
  const types = UNASKED.filter((type) => store.list({ type, mesh }, 0, 1).items.length > 0);
  return types.flatMap((type) => enforcementOf(type, {}, {}).reasons.map((reason) => `this mesh has some: ${reason}`));
}

/**
 * What is not enforced of what selects a proxy: kinds of policies, a line for all of them, and whatever no listener is
 * served for.
 */
export function notEnforcedNotes(held: PlaneContents, proxy: Proxy, types: readonly string[]): string[] {
  const reasons = new Set(proxy.inbounds.flatMap((inbound) => whyNotServed(proxy, inbound) ?? []));
  const unenforced = types.filter((type) => enforcementOf(type, {}, {}).enforced !== 'yes');
  return [
    ...[...reasons].map((reason) => `${reason}: nothing is enforced there`),
    ...(unenforced.length > 0 ? [`matched and shown, and not enforced: ${unenforced.join(', ')}`] : []),
    ...unaskedNotes(held, proxy.dataplane.key.mesh),
  ];
}
