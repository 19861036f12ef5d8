import { enforcementOf } from '../../policy/enforcement-table.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { placesOf } from './listen-address.ts';
import { policiesAt } from './mesh-access.ts';
import type { MeshView } from './mesh-view.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { formatKri } from '../../resource/key.ts';
import { readable } from '../../resource/readable-text.ts';

/** Why no listener is served for an inbound, so that nothing is enforced there; undefined: it is. */
export function whyNotServed(proxy: Proxy, inbound: Inbound): string | undefined {
  // One place for each inbound, in their order; a proxy without ports has none.
  const placed = placesOf(proxy)[proxy.inbounds.indexOf(inbound)];
  if (!placed) return 'this proxy has no inbound that could be served';
  return 'problem' in placed ? placed.problem : undefined;
}

/** How many policies are named at once. */
const NAMED = 3;

/** Where access policies say who may enter, for whoever looks at permissions: at some of a proxy's inbounds. */
export function accessNotes(view: MeshView, proxy: Proxy, inbounds: readonly Inbound[]): string[] {
  return inbounds.flatMap((inbound) => {
    const kris = whyNotServed(proxy, inbound) === undefined ? policiesAt(view, proxy, inbound).map(({ key }) => formatKri(key)) : [];
    const more = kris.length > NAMED ? ` and ${kris.length - NAMED} more` : '';
    const who = `${kris.slice(0, NAMED).join(', ')}${more}`;
    return kris.length === 0
      ? []
      : [
          `inbound ${readable(sectionOf(inbound))}: access policies say who may enter (${who}): permissions that allow open nothing there, and about each call of other zones Envoy asks the zone (ext_authz), which wants an access token`,
        ];
  });
}

/**
 * What is not enforced of what selects a proxy: kinds of policies, a line for all of them, and whatever no listener is
 * served for; and where access policies take the place of permissions.
 */
export function notEnforcedNotes(view: MeshView, proxy: Proxy, types: readonly string[]): string[] {
  const reasons = new Set(proxy.inbounds.flatMap((inbound) => whyNotServed(proxy, inbound) ?? []));
  const unenforced = types.filter((type) => enforcementOf(type, {}, {}).enforced !== 'yes');
  return [
    ...[...reasons].map((reason) => `${reason}: nothing is enforced there`),
    ...(unenforced.length > 0 ? [`matched and shown, and not enforced: ${unenforced.join(', ')}`] : []),
    ...accessNotes(view, proxy, proxy.inbounds),
  ];
}
