import type { Problem } from '../../errors.ts';
import { DNS_LABEL_REASON, isDnsLabel } from '../../resource/dns-names.ts';
import type { Place } from '../../resource/resource.ts';
import { ROLES, type ApiRole } from './principal.ts';

/** What a token lets somebody do. `zone`: of a zone operator alone. */
export interface Grant {
  readonly role: ApiRole;
  readonly zone?: string | undefined;
}

/**
 * The grant in `role` and `zone` of a body; what is wrong with them is added to `problems`. A zone's operators are of
 * that zone.
 */
export function readGrant(role: unknown, zone: unknown, place: Place, problems: Problem[]): Grant {
  const known = ROLES.find((one) => one === role);
  if (!known) problems.push({ field: 'role', reason: `must be one of ${ROLES.join(', ')}` });
  if (known !== 'zone-operator') {
    if (zone !== undefined && known) problems.push({ field: 'zone', reason: `is for the role zone-operator: ${known} is not of a zone` });
    return { role: known ?? 'read-only' };
  }
  const own = zone === undefined && place.zone !== '' ? place.zone : zone;
  if (typeof own === 'string' && isDnsLabel(own) && (place.zone === '' || own === place.zone)) return { role: known, zone: own };
  problems.push({
    field: 'zone',
    reason: place.zone === '' ? DNS_LABEL_REASON : `must be ${place.zone}: tokens hold at one control plane`,
  });
  return { role: 'read-only' };
}

/** Kuma's group of admins. */
const ADMINS = 'mesh-system:admin';
const OPERATORS = 'meridian:zone-operator:';

/**
 * The grant of Kuma's groups: the most that one of them gives. Unknown groups may only read.
 *
 *   [mesh-system:admin, team-a]     -> admin
 *   [meridian:zone-operator:east]   -> zone-operator of east
 *   [team-a], []                    -> read-only
 */
export function grantOfGroups(groups: readonly string[], place: Place, problems: Problem[]): Grant {
  if (groups.includes(ADMINS)) return { role: 'admin' };
  const operator = groups.find((group) => group.startsWith(OPERATORS));
  return operator === undefined ? { role: 'read-only' } : readGrant('zone-operator', operator.slice(OPERATORS.length), place, problems);
}
