import { compareKeys, compareText } from '../../resource/key.ts';
import type { TargetRef, ToKind, TopKind } from '../../resource/schema/reference-kinds.ts';
import { ROLES } from '../policy-role.ts';
import type { Policy } from './policy.ts';

/** How specific the kinds of top-level targetRefs are. */
const TOP_RANKS: Readonly<Record<TopKind, number>> = {
  Mesh: 0,
  Dataplane: 1,
  MeshSubset: 2,
  MeshGateway: 3,
  MeshService: 4,
  MeshServiceSubset: 5,
  MeshHTTPRoute: 6,
  MeshTCPRoute: 6,
  MeshGatewayRoute: 6,
};
/** How specific the kinds of `to[].targetRef` are. */
export const TO_RANKS: Readonly<Record<ToKind, number>> = {
  Mesh: 0,
  MeshService: 1,
  MeshExternalService: 2,
  MeshMultiZoneService: 3,
  MeshServiceSubset: 4,
  MeshHTTPRoute: 5,
  MeshTCPRoute: 5,
};

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
  readonly targetRef: TargetRef<ToKind>;
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
    TO_RANKS[a.targetRef.kind] - TO_RANKS[b.targetRef.kind] ||
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
function compareTargets(a: TargetRef<TopKind> = { kind: 'Mesh' }, b: TargetRef<TopKind> = { kind: 'Mesh' }): number {
  const kinds = TOP_RANKS[a.kind] - TOP_RANKS[b.kind];
  if (kinds !== 0 || a.kind !== 'Dataplane') return kinds;
  return Number(a.name !== undefined) - Number(b.name !== undefined) || bySection(a, b);
}

function bySection(a: TargetRef, b: TargetRef): number {
  return Number(a.sectionName !== undefined) - Number(b.sectionName !== undefined);
}
