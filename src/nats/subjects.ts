import { type Lane, LANES } from '../kds/access/zone-lanes.ts';
import { GLOBAL_PEER } from '../resource/audience.ts';
import { isDnsLabel } from '../resource/dns-names.ts';

const ROOT = 'meridian.v1';

/** Where the processes of global hear each other. */
export const GLOBAL_SUBJECT = `${ROOT}.global`;

/** What a zone says to global: its credential lets nobody else publish here. */
export function upSubject(zone: string): string {
  return `${ROOT}.zone.${zone}.up`;
}

/** What global says to a zone. */
export function downSubject(zone: string): string {
  return `${ROOT}.zone.${zone}.down`;
}

/** The subjects that a control plane listens on. `zone` '' is global. */
export function subjectsToHear(zone: string): readonly string[] {
  return zone === '' ? [upSubject('*'), GLOBAL_SUBJECT] : [downSubject(zone)];
}

/** Where what is meant for `peer` goes. undefined: the two do not talk to each other. */
export function subjectTo(zone: string, peer: string): string | undefined {
  if (zone !== '') return peer === GLOBAL_PEER ? upSubject(zone) : undefined;
  if (peer === GLOBAL_PEER) return GLOBAL_SUBJECT;
  return isDnsLabel(peer) ? downSubject(peer) : undefined;
}

/**
 * Who sent what arrived on `subject`: the subject proves it (docs/design/trust.md#only-the-origin-writes). undefined:
 * nobody that may.
 *
 *   at global: meridian.v1.zone.east.up   -> east
 *   at east:   meridian.v1.zone.east.down -> GLOBAL
 */
export function senderOf(zone: string, subject: string): string | undefined {
  if (zone !== '') return subject === downSubject(zone) ? GLOBAL_PEER : undefined;
  if (subject === GLOBAL_SUBJECT) return GLOBAL_PEER;
  const sender = subject.split('.')[3] ?? '';
  return isDnsLabel(sender) && subject === upSubject(sender) ? sender : undefined;
}

/** What a zone says to another one, past global. '*': whichever it is. Its credential lets nobody else publish here. */
export function laneSubject(from: string, lane: Lane, to: string): string {
  return `${ROOT}.zone.${from}.${lane}.${to}`;
}

/** Where a zone hears the other zones; global hears none of it. */
export function lanesToHear(zone: string): readonly string[] {
  return zone === '' ? [] : LANES.map((lane) => laneSubject('*', lane, zone));
}

/**
 * Which zone said what arrived on `subject` at a zone, and whether it asks or answers: the subject proves it.
 * undefined: nobody that may.
 *
 *   at west: meridian.v1.zone.east.ask.west  ->  east asks
 */
export function laneOf(zone: string, subject: string): { readonly lane: Lane; readonly from: string } | undefined {
  const [from = '', said] = subject.split('.').slice(3);
  const lane = LANES.find((one) => one === said);
  return lane !== undefined && isDnsLabel(from) && from !== zone && subject === laneSubject(from, lane, zone) ? { lane, from } : undefined;
}
