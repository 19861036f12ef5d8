import { MeridianError } from '../../errors.js';
import type { Key } from '../../resource/key.js';
import { type Mtp, readMtp } from '../../resource/mtp.js';
import type { JsonObject } from '../../resource/resource.js';
import { isEverybody } from '../match/client.js';
import type { Via } from '../match/route.js';
import type { Match } from '../match/select.js';

/** What one MeshTrafficPermission says about an inbound. */
export interface Permission {
  readonly key: Key;
  readonly mtp: Mtp | { readonly shape: 'broken' };
  /** Only for requests through these routes; undefined: for all. */
  readonly via: readonly Via[] | undefined;
}

/**
 * Reads the MeshTrafficPermissions among the policies that select an inbound, in their order. Shadow policies are left out: they are
 * never enforced. One that can't be read may hold any deny: it denies everything.
 */
export function readPermissions(matches: readonly Match[]): Permission[] {
  return matches
    .filter(({ policy }) => policy.resource.key.type === 'MeshTrafficPermission' && !policy.shadow)
    .map(({ policy: { resource }, via }) => ({ key: resource.key, mtp: read(resource.spec), via }));
}

/** What was read of a spec, which never changes: thousands of questions are asked of the same policies. */
const known = new WeakMap<JsonObject, Permission['mtp']>();

function read(spec: JsonObject): Permission['mtp'] {
  const mtp = known.get(spec) ?? readAnew(spec);
  known.set(spec, mtp);
  return mtp;
}

function readAnew(spec: JsonObject): Permission['mtp'] {
  try {
    return readMtp(spec);
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'invalid') return { shape: 'broken' };
    throw thrown;
  }
}

/**
 * What an operator may not expect of permissions that select one inbound: where both families do, a `from` that allows everybody opens
 * nothing any more (design, section 5).
 */
export function warningsAbout(permissions: readonly Permission[]): string[] {
  if (!permissions.some(({ mtp }) => mtp.shape === 'spiffe')) return [];
  const leftovers = permissions.filter(
    ({ mtp }) => mtp.shape === 'from' && mtp.items.some((item) => isEverybody(item.targetRef) && item.action.startsWith('Allow')),
  );
  return leftovers.map(
    ({ key }) =>
      `${key.name} allows every client with \`from\`, which opens nothing where a policy with deny or allow lists selects the inbound too`,
  );
}
