import type { FromItem, Matcher, MatcherList } from '../../resource/permission.ts';
import { decisionOf, fromItemsOf, listsOf, listsSaying, type VerdictSide } from '../../resource/permission-actions.ts';
import { keyId } from '../../resource/key.ts';
import { isClient } from '../match/client-sans.ts';
import type { Verdict } from './evaluate-permissions.ts';
import { allows, denies } from './match-request.ts';
import type { Permission } from './read-permissions.ts';
import type { RequestSubject } from './read-request.ts';

/** What of a policy decided: a matcher of one of its lists, or an item of its `from`. */
export type DecidingRule = { readonly list: MatcherList; readonly matcher: Matcher } | { readonly item: FromItem };

/**
 * The rule behind a verdict that `evaluate` gave for the same permissions: of the policy that decided, the last that
 * says so. undefined: no policy decided, or it can't be read.
 *
 *   deny: [Exact spiffe://td/a, Prefix spiffe://td/ns], for spiffe://td/ns/x  ->  {list: deny, matcher: Prefix ...}
 */
export function decidingRule(
  permissions: readonly Permission[],
  subject: RequestSubject,
  side: VerdictSide,
  { action, decidedBy }: Pick<Verdict, 'action' | 'decidedBy'>,
): DecidingRule | undefined {
  const found = permissions.findLast(({ key }) => decidedBy && keyId(key) === keyId(decidedBy));
  if (!found) return undefined;
  const lists = listsOf(found.mtp);
  const holds = action === 'Deny' ? denies : allows;
  const matched = listsSaying(action, side).flatMap((list) => {
    const matcher = lists?.[list].findLast((one) => holds(one, subject));
    return matcher ? [{ list, matcher }] : [];
  });
  return matched.at(-1) ?? itemOf(found, subject, side, action);
}

function itemOf(
  { key, mtp }: Permission,
  { sans }: RequestSubject,
  side: VerdictSide,
  action: Verdict['action'],
): DecidingRule | undefined {
  const means = ({ targetRef, action: said }: FromItem): boolean =>
    decisionOf(said, side) === action && isClient(targetRef, key.mesh, sans);
  const item = fromItemsOf(mtp).findLast(means);
  return item && { item };
}
