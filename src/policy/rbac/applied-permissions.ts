import type { Key } from '../../resource/key.ts';
import type { Matcher } from '../../resource/permission.ts';
import {
  type Action,
  differsInShadow,
  fromItemsOf,
  isUnreadable,
  listsOf,
  listsSaying,
  SHADOW_LISTS,
  type VerdictSide,
} from '../../resource/permission-actions.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { conditionOf } from './request-condition.ts';
import { act, type RbacEffect, type OnMatch, type Predicate } from './envoy-matchers.ts';

/**
 * A permission where it is about a request: of an inbound, or of those of its requests that come through certain
 * routes.
 */
export interface RegionPermission {
  readonly key: Key;
  readonly kri: string;
  /** What it decides, as one object however often it does. */
  readonly acts: { ALLOW?: OnMatch; DENY?: OnMatch };
  readonly mtp: Permission['mtp'];
  /** Whether it can be told that a request comes through the permission's route; if not, only its denies count. */
  readonly certain: boolean;
  /** Where it stands in order: that of an earlier compilation moves. */
  place: number;
}

/** One matcher of a deny or an allow list. */
export interface MatcherRule {
  readonly by: RegionPermission;
  /** undefined: whoever it is. */
  readonly spiffeId: Matcher['spiffeId'] | undefined;
  /** undefined: whatever it asks for. */
  readonly condition: Predicate | undefined;
}

/** What Envoy does where a rule holds; its logs then name the policy. */
export function actBy({ acts, kri }: RegionPermission, effect: RbacEffect): OnMatch {
  acts[effect] ??= act(effect, kri);
  return acts[effect];
}

type Protocol = 'http' | 'tcp';

/**
 * What a permission's lists deny. A permission that can't be read may deny anything. On TCP, conditions on requests are
 * dropped.
 */
export function denyRules(by: RegionPermission, side: VerdictSide, protocol: Protocol): MatcherRule[] {
  if (isUnreadable(by.mtp)) return [{ by, spiffeId: undefined, condition: undefined }];
  return matchersSaying('Deny', by, side).map((matcher) => ({
    by,
    spiffeId: matcher.spiffeId,
    condition: protocol === 'tcp' ? undefined : conditionOf(matcher, 'DENY'),
  }));
}

/** What a permission's lists allow. On TCP, a matcher with conditions on requests allows nothing. */
export function allowRules(by: RegionPermission, side: VerdictSide, protocol: Protocol): MatcherRule[] {
  if (!by.certain) return [];
  const matchers = matchersSaying('Allow', by, side);
  const seen = protocol === 'tcp' ? matchers.filter(({ method, path }) => method === undefined && path === undefined) : matchers;
  return seen.map((matcher) => ({ by, spiffeId: matcher.spiffeId, condition: conditionOf(matcher, 'ALLOW') }));
}

function matchersSaying(decision: Action, { mtp }: RegionPermission, side: VerdictSide): readonly Matcher[] {
  const lists = listsOf(mtp);
  return lists ? listsSaying(decision, side).flatMap((list) => lists[list]) : [];
}

/** Whether it is another thing in the shadow than enforced. */
export function speaksOfShadow({ mtp }: RegionPermission): boolean {
  const lists = listsOf(mtp);
  if (lists && SHADOW_LISTS.some((list) => lists[list].length > 0)) return true;
  return fromItemsOf(mtp).some(({ action }) => differsInShadow(action));
}
