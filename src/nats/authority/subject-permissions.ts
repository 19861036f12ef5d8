import { LANES } from '../../kds/access/zone-lanes.ts';
import { downSubject, GLOBAL_SUBJECT, laneSubject, lanesToHear, upSubject } from '../subjects.ts';

/** What a credential may do, as it stands in its JWT. */
export interface SubjectPermissions {
  readonly pub: { readonly allow: string[]; readonly deny?: string[] };
  readonly sub: { readonly allow: string[]; readonly deny?: string[] };
}

/**
 * A zone speaks on its own subjects and hears what is said to it, and nothing else: no inbox, for nothing is asked by
 * reply subjects (docs/design/trust.md#only-the-origin-writes), no JetStream, no system subjects. `zone` '' is global.
 *
 *   east    publishes meridian.v1.zone.east.up    hears meridian.v1.zone.east.down
 *                     meridian.v1.zone.east.ask.*       meridian.v1.zone.*.ask.east
 *                     meridian.v1.zone.east.answer.*    meridian.v1.zone.*.answer.east
 *   global  publishes meridian.v1.zone.*.down     hears meridian.v1.zone.*.up, and other processes of global
 */
export function permissionsOf(zone: string): SubjectPermissions {
  if (zone !== '') {
    const lanes = LANES.map((lane) => laneSubject(zone, lane, '*'));
    return { pub: { allow: [upSubject(zone), ...lanes] }, sub: { allow: [downSubject(zone), ...lanesToHear(zone)] } };
  }
  return { pub: { allow: [downSubject('*'), GLOBAL_SUBJECT] }, sub: { allow: [upSubject('*'), GLOBAL_SUBJECT] } };
}

/** Of those who have no permissions of their own. */
export const NOTHING: SubjectPermissions = { pub: { allow: [], deny: ['>'] }, sub: { allow: [], deny: ['>'] } };

/** For the one message that tells a running server what is revoked, and its answer. */
export const CLAIMS_UPDATE = '$SYS.REQ.CLAIMS.UPDATE';
export const OPERATOR_INBOX = '_INBOX.meridian';
export const OPERATOR: SubjectPermissions = { pub: { allow: [CLAIMS_UPDATE] }, sub: { allow: [`${OPERATOR_INBOX}.>`] } };
