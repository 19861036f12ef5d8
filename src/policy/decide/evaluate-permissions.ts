import type { Key } from '../../resource/key.ts';
import {
  type Action,
  decisionOf,
  fromItemsOf,
  isUnreadable,
  listsOf,
  listsSaying,
  type VerdictSide,
} from '../../resource/permission-actions.ts';
import type { Matcher } from '../../resource/permission.ts';
import { isClient, isEverybody } from '../match/client-sans.ts';
import { allows, denies } from './match-request.ts';
import type { Permission } from './read-permissions.ts';
import type { RequestSubject } from './read-request.ts';
import { comesThrough } from './route-request.ts';

export interface Verdict {
  readonly action: Action;
  /** The last policy in order that decided so; undefined: none did. */
  readonly decidedBy: Key | undefined;
  /** Why, for people. */
  readonly reason: string;
}

/** A permission that is about this request. `certain`: it can be told; else only its denies count. */
interface AppliedPermission extends Permission {
  readonly certain: boolean;
}

/** An item of `from` that means the client. */
interface ClientItem {
  readonly key: Key;
  readonly action: Action;
  readonly everybody: boolean;
}

/**
 * Decides a request by the permissions of an inbound, in their order (docs/design/access.md#evaluation): deny lists;
 * then the `from` items, the last that means the client; then allow lists; else deny. Where a policy with lists selects
 * the inbound too, `from` items for everybody open nothing. In the shadow AllowWithShadowDeny counts as deny and
 * DenyWithShadowAllow as allow.
 *
 *   deny: [api], allow: [spiffe://td]       for api: Deny,  for any other of td: Allow
 *   from: Mesh Allow, web Deny              for web: Deny,  for any other: Allow
 *   from: Mesh Allow; allow: [web]          for web: Allow, for any other: Deny
 */
export function evaluate(permissions: readonly Permission[], subject: RequestSubject, side: VerdictSide): Verdict {
  const applied = permissions.flatMap((permission) => apply(permission, subject));
  const said = applied.flatMap((permission) => saidBy(permission, subject, side));
  const lists = applied.some(({ mtp }) => listsOf(mtp) !== undefined);
  return (
    byDenyLists(applied, subject, side) ?? (lists ? bySpecific(said) : byLast(said)) ?? byAllowLists(applied, subject, side) ?? closed(said)
  );
}

/**
 * What permissions deny by themselves, where access policies say who may enter (docs/design/attributes.md#in-envoy): a
 * deny list; or the last `from` item that means the client, with those for everybody or without them.
 */
export function denial(permissions: readonly Permission[], subject: RequestSubject, side: VerdictSide): Verdict | undefined {
  const applied = permissions.flatMap((permission) => apply(permission, subject));
  const said = applied.flatMap((permission) => saidBy(permission, subject, side));
  const lastWords = [said.findLast(({ everybody }) => !everybody), said.at(-1)];
  const denying = lastWords.find((item) => item?.action === 'Deny');
  return byDenyLists(applied, subject, side) ?? (denying && toVerdict(denying));
}

function apply(permission: Permission, subject: RequestSubject): AppliedPermission[] {
  const through = comesThrough(permission.via, subject);
  return through === 'no' ? [] : [{ ...permission, certain: through === 'yes' }];
}

function byDenyLists(applied: readonly AppliedPermission[], subject: RequestSubject, side: VerdictSide): Verdict | undefined {
  const last = applied.findLast(({ mtp }) => isUnreadable(mtp) || says(mtp, 'Deny', side, (matcher) => denies(matcher, subject)));
  if (!last) return undefined;
  const reason = isUnreadable(last.mtp) ? 'the policy can’t be read, and may deny anything' : 'a deny list names it';
  return { action: 'Deny', decidedBy: last.key, reason };
}

function byAllowLists(applied: readonly AppliedPermission[], subject: RequestSubject, side: VerdictSide): Verdict | undefined {
  const last = applied.findLast(({ mtp, certain }) => certain && says(mtp, 'Allow', side, (matcher) => allows(matcher, subject)));
  return last && { action: 'Allow', decidedBy: last.key, reason: 'an allow list names it' };
}

/** Whether a matcher of those lists holds. */
function says(mtp: Permission['mtp'], decision: Action, side: VerdictSide, holds: (matcher: Matcher) => boolean): boolean {
  const lists = listsOf(mtp);
  return lists !== undefined && listsSaying(decision, side).some((list) => lists[list].some(holds));
}

function saidBy({ key, mtp, certain }: AppliedPermission, { sans }: RequestSubject, side: VerdictSide): ClientItem[] {
  return fromItemsOf(mtp)
    .filter(({ targetRef }) => isClient(targetRef, key.mesh, sans))
    .map(({ targetRef, action }) => ({ key, action: decisionOf(action, side), everybody: isEverybody(targetRef) }))
    .filter(({ action }) => certain || action === 'Deny');
}

/** Where there are no lists, the last item decides. */
function byLast(said: readonly ClientItem[]): Verdict | undefined {
  const last = said.at(-1);
  return last && toVerdict(last);
}

/**
 * Beside lists, the last item that names more than everybody does; an allow only if no later item denies everybody. So
 * a deny that is added, at whatever place, never opens anything.
 */
function bySpecific(said: readonly ClientItem[]): Verdict | undefined {
  const at = said.findLastIndex(({ everybody }) => !everybody);
  const specific = said[at];
  if (!specific) return undefined;
  const overruled = specific.action === 'Allow' && said.slice(at).some(({ action }) => action === 'Deny');
  return overruled ? undefined : toVerdict(specific);
}

function toVerdict({ action, key, everybody }: ClientItem): Verdict {
  const reason = `a \`from\` item ${everybody ? 'for every client' : 'that names it'} says so`;
  return { action, decidedBy: key, reason };
}

/** Nothing allowed it. If a `from` item denies everybody, that is the policy's word, else nobody's. */
function closed(said: readonly ClientItem[]): Verdict {
  const last = said.at(-1);
  return last?.action === 'Deny' ? toVerdict(last) : { action: 'Deny', decidedBy: undefined, reason: 'no policy allows it' };
}
