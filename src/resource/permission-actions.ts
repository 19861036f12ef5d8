import type { FromItem, Matcher, MatcherList, MatcherLists, MtpAction, MtpOrBroken } from './permission.ts';

export type Action = 'Allow' | 'Deny';

/** What is enforced, or what would be if all shadow actions were. */
export type VerdictSide = 'enforced' | 'shadow';

/** What each action decides on either side. */
const DECISIONS: Readonly<Record<MtpAction, Readonly<Record<VerdictSide, Action>>>> = {
  Allow: { enforced: 'Allow', shadow: 'Allow' },
  Deny: { enforced: 'Deny', shadow: 'Deny' },
  AllowWithShadowDeny: { enforced: 'Allow', shadow: 'Deny' },
  DenyWithShadowAllow: { enforced: 'Deny', shadow: 'Allow' },
};

/** The action that stands for what each list says. */
const LIST_ACTIONS: Readonly<Record<MatcherList, MtpAction>> = {
  deny: 'Deny',
  allow: 'Allow',
  allowWithShadowDeny: 'AllowWithShadowDeny',
};

export const MATCHER_LISTS = Object.keys(LIST_ACTIONS) as readonly MatcherList[];

const LISTS_SAYING: Readonly<Record<Action, Readonly<Record<VerdictSide, readonly MatcherList[]>>>> = {
  Allow: { enforced: listsOn('Allow', 'enforced'), shadow: listsOn('Allow', 'shadow') },
  Deny: { enforced: listsOn('Deny', 'enforced'), shadow: listsOn('Deny', 'shadow') },
};

function listsOn(decision: Action, side: VerdictSide): MatcherList[] {
  return MATCHER_LISTS.filter((list) => decisionOf(LIST_ACTIONS[list], side) === decision);
}

/** What an action decides. In the shadow AllowWithShadowDeny counts as deny, and DenyWithShadowAllow as allow. */
export function decisionOf(action: MtpAction, side: VerdictSide): Action {
  return DECISIONS[action][side];
}

/** Whether an action decides otherwise in the shadow than what is enforced. */
export function differsInShadow(action: MtpAction): boolean {
  return decisionOf(action, 'enforced') !== decisionOf(action, 'shadow');
}

/** The lists whose matchers say this on that side. */
export function listsSaying(decision: Action, side: VerdictSide): readonly MatcherList[] {
  return LISTS_SAYING[decision][side];
}

/** The lists that differ in the shadow. */
export const SHADOW_LISTS = MATCHER_LISTS.filter((list) => differsInShadow(LIST_ACTIONS[list]));

/** The lists of a permission; undefined: one of its shape has none. */
export function listsOf(mtp: MtpOrBroken): MatcherLists | undefined {
  switch (mtp.shape) {
    case 'spiffe':
      return mtp;
    case 'from':
    case 'none':
    case 'broken':
      return undefined;
  }
}

/** The items of a permission's `from`; none where one of its shape has no such list. */
export function fromItemsOf(mtp: MtpOrBroken): readonly FromItem[] {
  switch (mtp.shape) {
    case 'from':
      return mtp.items;
    case 'spiffe':
    case 'none':
    case 'broken':
      return NO_ITEMS;
  }
}

const NO_ITEMS: readonly FromItem[] = [];

/** Whether a permission may deny anything, since it can't be read. */
export function isUnreadable(mtp: MtpOrBroken): boolean {
  switch (mtp.shape) {
    case 'broken':
      return true;
    case 'spiffe':
    case 'from':
    case 'none':
      return false;
  }
}

/** Whether a permission says nothing at all. */
export function isSilent(mtp: MtpOrBroken): boolean {
  switch (mtp.shape) {
    case 'none':
      return true;
    case 'spiffe':
    case 'from':
    case 'broken':
      return false;
  }
}

/** Whether a permission denies anything that is enforced, or may, since it can't be read. */
export function mayDeny(mtp: MtpOrBroken): boolean {
  const lists = listsOf(mtp);
  if (isUnreadable(mtp) || (lists && listsSaying('Deny', 'enforced').some((list) => lists[list].length > 0))) return true;
  return fromItemsOf(mtp).some(({ action }) => decisionOf(action, 'enforced') === 'Deny');
}

/** All matchers of a permission, list by list. */
export function matchersOf(mtp: MtpOrBroken): readonly Matcher[] {
  const lists = listsOf(mtp);
  return lists ? MATCHER_LISTS.flatMap((list) => lists[list]) : [];
}
