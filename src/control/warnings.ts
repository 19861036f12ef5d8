import { MeridianError } from '../errors.js';
import { asArray } from '../naming/json.js';
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

/** Gives one permission of a family, if the mesh has it: one with lists, or one that allows everybody with `from`. */
type Sides = (side: Side) => Key | undefined;

function readSides(store: Reader, mesh: string): Sides {
  const permissions = store.list({ type: PERMISSION, mesh }, 0, LOOKED_AT).items;
  // Reading a permission takes long, and is done at each write: not for what can't be of the family.
  return (side) => permissions.find(({ spec }) => asArray(spec.from).length > 0 === (side === 'fromAll') && sideOf(spec) === side)?.key;
}

/** Where both families select an inbound, a `from` that allows everybody opens nothing any more (design, section 5). */
function leftoverWarnings({ key, spec }: Resource, sides: Sides): string[] {
  const side = sideOf(spec);
  const fromAll = side === 'lists' ? sides('fromAll') : undefined;
  if (fromAll && !sameKey(fromAll, key)) {
    return [`${formatKri(fromAll)} allows every client with 'from', which opens nothing where this one selects the same inbound`];
  }
  const lists = side === 'fromAll' ? sides('lists') : undefined;
  if (!lists) return [];
  const others = `a policy with deny or allow lists, like ${formatKri(lists)}, selects the same inbound`;
  return [`it allows every client with 'from', which opens nothing where ${others}`];
}

type Side = 'lists' | 'fromAll';

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
