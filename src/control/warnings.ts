import { MeridianError } from '../errors.js';
import { isEverybody } from '../policy/match/client.js';
import { warningsOfDocument } from '../policy/warnings.js';
import { type Key, formatKri } from '../resource/key.js';
import { type Mtp, readMtp } from '../resource/mtp.js';
import type { JsonObject, Resource } from '../resource/resource.js';
import type { Held } from './plane.js';
import { danglingReferences } from './status.js';

/** How many permissions of a mesh are looked at: a warning is not worth reading them all at each write. */
const LOOKED_AT = 200;

/**
 * What the author of a resource that is stored may not expect of it: what its document says (src/policy/warnings.ts), references that point to
 * nothing, and permissions that open nothing beside others. Nothing for a key that is not there.
 */
export function warningsAbout(held: Held, key: Key): string[] {
  const resource = held.store.get(key)?.resource;
  if (!resource) return [];
  const dangling = danglingReferences(held, resource).map(({ path, reason }) => `spec.${path}: ${reason}`);
  return [...dangling, ...warningsOfDocument(key.type, resource.labels, resource.spec), ...leftovers(held, resource)];
}

/** Where both families select an inbound, a `from` that allows everybody opens nothing any more (design, section 5). */
function leftovers({ store }: Held, { key, spec }: Resource): string[] {
  if (key.type !== 'MeshTrafficPermission') return [];
  const side = sideOf(spec);
  if (!side) return [];
  const others = store.list({ type: key.type, mesh: key.mesh }, 0, LOOKED_AT).items;
  const beside = others.find((other) => sideOf(other.spec) === (side === 'lists' ? 'from all' : 'lists'));
  if (!beside) return [];
  const kri = formatKri(beside.key);
  if (side === 'lists') return [`${kri} allows every client with 'from', which opens nothing where this one selects the same inbound`];
  return [
    `it allows every client with 'from', which opens nothing where a policy with deny or allow lists, like ${kri}, selects the same inbound`,
  ];
}

function sideOf(spec: JsonObject): 'lists' | 'from all' | undefined {
  const mtp = read(spec);
  if (mtp?.shape === 'spiffe') return 'lists';
  const all = mtp?.shape === 'from' && mtp.items.some(({ targetRef, action }) => isEverybody(targetRef) && action.startsWith('Allow'));
  return all ? 'from all' : undefined;
}

/** undefined: it can't be read, which is told elsewhere. */
function read(spec: JsonObject): Mtp | undefined {
  try {
    return readMtp(spec);
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'invalid') return undefined;
    throw thrown;
  }
}
