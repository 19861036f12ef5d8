import type { Key } from '../../resource/key.ts';
import type { Matcher, MtpAction } from '../../resource/permission.ts';
import type { VerdictSide } from '../decide/evaluate-permissions.ts';
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
  const { mtp } = by;
  if (mtp.shape === 'broken') return [{ by, spiffeId: undefined, condition: undefined }];
  if (mtp.shape !== 'spiffe') return [];
  const matchers = side === 'shadow' ? [...mtp.deny, ...mtp.allowWithShadowDeny] : mtp.deny;
  return matchers.map((matcher) => ({
    by,
    spiffeId: matcher.spiffeId,
    condition: protocol === 'tcp' ? undefined : conditionOf(matcher, 'DENY'),
  }));
}

/** What a permission's lists allow. On TCP, a matcher with conditions on requests allows nothing. */
export function allowRules(by: RegionPermission, side: VerdictSide, protocol: Protocol): MatcherRule[] {
  const { mtp, certain } = by;
  if (mtp.shape !== 'spiffe' || !certain) return [];
  const matchers = side === 'shadow' ? mtp.allow : [...mtp.allow, ...mtp.allowWithShadowDeny];
  const seen = protocol === 'tcp' ? matchers.filter(({ method, path }) => method === undefined && path === undefined) : matchers;
  return seen.map((matcher) => ({ by, spiffeId: matcher.spiffeId, condition: conditionOf(matcher, 'ALLOW') }));
}

/** Whether an action of `from` lets in: in the shadow, what it says it would. */
export function letsIn(action: MtpAction, side: VerdictSide): boolean {
  if (action === 'Allow' || action === 'Deny') return action === 'Allow';
  return (action === 'AllowWithShadowDeny') === (side === 'enforced');
}

/** Whether it is another thing in the shadow than enforced. */
export function speaksOfShadow({ mtp }: RegionPermission): boolean {
  if (mtp.shape === 'spiffe') return mtp.allowWithShadowDeny.length > 0;
  return mtp.shape === 'from' && mtp.items.some(({ action }) => letsIn(action, 'enforced') !== letsIn(action, 'shadow'));
}
