import type { Key } from '../../resource/key.ts';
import { type MtpOrBroken, mtpOf } from '../../resource/permission.ts';
import { decisionOf, fromItemsOf, listsOf } from '../../resource/permission-actions.ts';
import { isEverybody } from '../match/client-sans.ts';
import type { ViaRoute } from '../match/route-selection.ts';
import type { SelectingPolicy } from '../match/select-policies.ts';

/** What one MeshTrafficPermission says about an inbound. */
export interface Permission {
  readonly key: Key;
  readonly mtp: MtpOrBroken;
  /** Only for requests through these routes; undefined: for all. */
  readonly via: readonly ViaRoute[] | undefined;
}

/**
 * Reads the MeshTrafficPermissions among the policies that select an inbound, in their order. Shadow policies are left
 * out: they are never enforced. One that can't be read may hold any deny: it denies everything.
 */
export function readPermissions(matches: readonly SelectingPolicy[]): Permission[] {
  return matches
    .filter(({ policy }) => policy.resource.key.type === 'MeshTrafficPermission' && !policy.shadow)
    .map(({ policy: { resource }, via }) => ({ key: resource.key, mtp: mtpOf(resource.spec), via }));
}

/**
 * What an operator may not expect of permissions that select one inbound: where both families do, a `from` that allows
 * everybody opens nothing any more (docs/design/access.md#evaluation).
 */
export function warningsAbout(permissions: readonly Permission[]): string[] {
  if (!permissions.some(({ mtp }) => listsOf(mtp) !== undefined)) return [];
  const leftovers = permissions.filter(({ mtp }) => letsEverybodyIn(mtp));
  return leftovers.map(
    ({ key }) =>
      `${key.name} allows every client with \`from\`, which opens nothing where a policy with deny or allow lists selects the inbound too`,
  );
}

/** Whether an item of `from` allows every client of its mesh. */
export function letsEverybodyIn(mtp: MtpOrBroken): boolean {
  return fromItemsOf(mtp).some(({ targetRef, action }) => isEverybody(targetRef) && decisionOf(action, 'enforced') === 'Allow');
}
