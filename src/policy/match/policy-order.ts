import { compareKeys, compareText } from '../../resource/key.ts';
import type { TargetRef } from '../../resource/schema/target-ref.ts';
import { ROLES } from '../policy-role.ts';
import type { Policy } from './policy.ts';

/** Kinds of the top-level targetRef, least specific first. */
const TOP_KINDS = ['Mesh', 'Dataplane', 'MeshSubset', 'MeshGateway', 'MeshService', 'MeshServiceSubset', 'Route'];
/** Kinds of `to[].targetRef`, least specific first. */
const TO_KINDS = ['Mesh', 'MeshService', 'MeshExternalService', 'MeshMultiZoneService', 'MeshServiceSubset', 'Route'];

/**
 * Orders policies for one proxy, least to most specific (docs/design/matching.md#order): negative when `a` comes first,
 * never 0 for two keys.
 *
 *   Mesh, of zone east                < Dataplane by labels, of global      the targetRef's kind comes first
 *   Dataplane, bare or by labels      < Dataplane by name                   then a name, then a section
 *   MeshService, of global            < MeshService, of zone east           then the origin, then the role
 *   MeshService, of zone east, `bbb`  < MeshService, of zone east, `aaa`    then the display name, in reverse
 */
export function comparePolicies(a: Policy, b: Policy): number {
  return compareRanks(a, b) || compareNames(a, b);
}

/** One item of a policy's `to`. */
interface RankedItem {
  readonly policy: Policy;
  readonly targetRef: TargetRef;
  /** Its place in the list that it is from. */
  readonly index: number;
}

/**
 * Orders items of `to` as `comparePolicies` does, but the item's kind and whether it names a section come before the
 * display name, and the place in the list last.
 */
export function compareToItems(a: RankedItem, b: RankedItem): number {
  return (
    compareRanks(a.policy, b.policy) ||
    rankIn(TO_KINDS, a.targetRef.kind) - rankIn(TO_KINDS, b.targetRef.kind) ||
    bySection(a.targetRef, b.targetRef) ||
    compareNames(a.policy, b.policy) ||
    a.index - b.index
  );
}

function compareRanks(a: Policy, b: Policy): number {
  return (
    compareTargets(a.targetRef, b.targetRef) ||
    Number(a.resource.key.zone !== '') - Number(b.resource.key.zone !== '') ||
    ROLES.indexOf(a.role) - ROLES.indexOf(b.role)
  );
}

function compareNames({ resource: { key: a } }: Policy, { resource: { key: b } }: Policy): number {
  return compareText(b.name, a.name) || compareKeys(a, b);
}

/**
 * Kuma takes a bare Dataplane as equal to one with labels and to one with a name, and a name as more than labels. That
 * is no order: which of three policies comes last would depend on which two are compared first. Here a name is more
 * than both (docs/kuma-differences.md).
 */
function compareTargets(a: TargetRef = { kind: 'Mesh' }, b: TargetRef = { kind: 'Mesh' }): number {
  const kinds = rankIn(TOP_KINDS, a.kind) - rankIn(TOP_KINDS, b.kind);
  if (kinds !== 0 || a.kind !== 'Dataplane') return kinds;
  return Number(a.name !== undefined) - Number(b.name !== undefined) || bySection(a, b);
}

function bySection(a: TargetRef, b: TargetRef): number {
  return Number(a.sectionName !== undefined) - Number(b.sectionName !== undefined);
}

function rankIn(kinds: readonly string[], kind: string): number {
  return kinds.indexOf(kind.endsWith('Route') ? 'Route' : kind);
}
