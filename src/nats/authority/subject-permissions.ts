import { downSubject, GLOBAL_SUBJECT, upSubject } from '../subjects.ts';

/** What a credential may do, as it stands in its JWT. */
export interface SubjectPermissions {
  readonly pub: { readonly allow: string[]; readonly deny?: string[] };
  readonly sub: { readonly allow: string[]; readonly deny?: string[] };
}

/**
 * A zone speaks on its own subject and hears its own, and nothing else: no inbox, for nothing is asked by reply
 * subjects (docs/design/trust.md#only-the-origin-writes), no JetStream, no system subjects. `zone` '' is global.
 *
 *   east    publishes meridian.v1.zone.east.up    hears meridian.v1.zone.east.down
 *   global  publishes meridian.v1.zone.*.down     hears meridian.v1.zone.*.up, and other processes of global
 */
export function permissionsOf(zone: string): SubjectPermissions {
  if (zone !== '') return { pub: { allow: [upSubject(zone)] }, sub: { allow: [downSubject(zone)] } };
  return { pub: { allow: [downSubject('*'), GLOBAL_SUBJECT] }, sub: { allow: [upSubject('*'), GLOBAL_SUBJECT] } };
}

/** Of those who have no permissions of their own. */
export const NOTHING: SubjectPermissions = { pub: { allow: [], deny: ['>'] }, sub: { allow: [], deny: ['>'] } };

/** For the one message that tells a running server what is revoked, and its answer. */
export const CLAIMS_UPDATE = '$SYS.REQ.CLAIMS.UPDATE';
export const OPERATOR_INBOX = '_INBOX.meridian';
export const OPERATOR: SubjectPermissions = { pub: { allow: [CLAIMS_UPDATE] }, sub: { allow: [`${OPERATOR_INBOX}.>`] } };
