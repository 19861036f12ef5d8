import { MeridianError } from '../errors.js';
import { isEverybody } from '../policy/match/client.js';
import { warningsOfDocument } from '../policy/warnings.js';
import { type Key, formatKri, sameKey } from '../resource/key.js';
import { type Mtp, readMtp } from '../resource/mtp.js';
import type { JsonObject, Resource } from '../resource/resource.js';
import type { Reader } from '../resource/store.js';
import type { Held } from './plane.js';
import { danglingReferences } from './status.js';

/** How many permissions of a mesh are looked at: a warning is not worth reading them all at each write. */
const LOOKED_AT = 200;

/**
 * What the author of each of these resources, which are stored, may not expect of it: what its document says (src/policy/warnings.ts), references that
 * point to nothing, and permissions that open nothing beside others. None for a key that is not there.
 */
export function warningsAbout(held: Held, keys: readonly Key[]): (readonly string[])[] {
  const sides = new Map<string, Sides>();
  const sidesOf = (mesh: string): Sides => {
    const known = sides.get(mesh) ?? readSides(held.store, mesh);
    sides.set(mesh, known);
    return known;
  };
  return keys.map((key) => {
    const resource = held.store.get(key)?.resource;
    return resource ? warningsOf(held, resource, sidesOf) : [];
  });
}

function warningsOf(held: Held, resource: Resource, sidesOf: (mesh: string) => Sides): string[] {
  const { key, labels, spec } = resource;
  const dangling = danglingReferences(held, resource).map(({ path, reason }) => `spec.${path}: ${reason}`);
  const leftovers = key.type === PERMISSION ? leftoverWarnings(resource, sidesOf(key.mesh)) : [];
  return [...dangling, ...warningsOfDocument(key.type, labels, spec), ...leftovers];
}

const PERMISSION = 'MeshTrafficPermission';

/** One permission of each family, if the mesh has it: one with lists, and one that allows everybody with `from`. */
interface Sides {
  readonly lists: Key | undefined;
  readonly fromAll: Key | undefined;
}

function readSides(store: Reader, mesh: string): Sides {
  const permissions = store.list({ type: PERMISSION, mesh }, 0, LOOKED_AT).items;
  const first = (side: Side): Key | undefined => permissions.find(({ spec }) => sideOf(spec) === side)?.key;
  return { lists: first('lists'), fromAll: first('fromAll') };
}

/** Where both families select an inbound, a `from` that allows everybody opens nothing any more (design, section 5). */
function leftoverWarnings({ key, spec }: Resource, { lists, fromAll }: Sides): string[] {
  const side = sideOf(spec);
  if (side === 'lists' && fromAll && !sameKey(fromAll, key)) {
    return [`${formatKri(fromAll)} allows every client with 'from', which opens nothing where this one selects the same inbound`];
  }
  if (side !== 'fromAll' || !lists) return [];
  const others = `a policy with deny or allow lists, like ${formatKri(lists)}, selects the same inbound`;
  return [`it allows every client with 'from', which opens nothing where ${others}`];
}

type Side = keyof Sides;

function sideOf(spec: JsonObject): Side | undefined {
  const mtp = read(spec);
  if (mtp?.shape === 'spiffe') return 'lists';
  const all = mtp?.shape === 'from' && mtp.items.some(({ targetRef, action }) => isEverybody(targetRef) && action.startsWith('Allow'));
  return all ? 'fromAll' : undefined;
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
