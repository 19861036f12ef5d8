import { LRUCache } from 'lru-cache';
import { asArray } from '../../naming/json.ts';
import { letsEverybodyIn } from '../../policy/decide/read-permissions.ts';
import { type Key, sameKey } from '../../resource/key.ts';
import { mtpOf } from '../../resource/permission.ts';
import { listsOf } from '../../resource/permission-actions.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import type { Head, Reader } from '../../resource/store/store.ts';
import { type Plane, touchedSince } from '../plane/plane.ts';

/**
 * A permission with deny or allow lists, or one that allows everybody with `from`. Where both select an inbound, the
 * latter opens nothing.
 */
export type Family = 'lists' | 'fromAll';

/** One permission of each family, if the mesh has it. */
export type PermissionFamilies = Readonly<Record<Family, Key | undefined>>;

/** A resource as it is in the store now. */
export type ReadResource = (key: Key) => Resource | undefined;

const PERMISSION = 'MeshTrafficPermission';

/** How many permissions of a mesh are looked at: a warning is not worth reading them all. */
const LOOKED_AT = 200;
/** Of so many meshes it is remembered. */
const MESHES = 1_000;

/** undefined: of neither, or the item can't be read, which is told elsewhere. */
export function familyOf(spec: JsonObject): Family | undefined {
  const mtp = mtpOf(spec);
  if (listsOf(mtp)) return 'lists';
  return letsEverybodyIn(mtp) ? 'fromAll' : undefined;
}

/** The only family that it can be of. Tells without reading the permission, which takes long. */
export function possibleFamily(spec: JsonObject): Family {
  return asArray(spec.from).length > 0 ? 'fromAll' : 'lists';
}

function isOf(family: Family, spec: JsonObject): boolean {
  return possibleFamily(spec) === family && familyOf(spec) === family;
}

/** Looks for one permission of each family among the first of a mesh. */
export function readFamilies(store: Reader, mesh: string): PermissionFamilies {
  const { items } = store.list({ type: PERMISSION, mesh }, 0, LOOKED_AT);
  const first = (family: Family): Key | undefined => items.find(({ spec }) => isOf(family, spec))?.key;
  return { lists: first('lists'), fromAll: first('fromAll') };
}

/**
 * The same for a plane, cached: a write costs only as much as it touched. `read` gives a resource as it is now.
 *
 *   {lists: a}, z is written and allows everybody   -> {lists: a, fromAll: z}
 *   {lists: a}, a is deleted                        -> the mesh is looked through again
 */
export function keepFamilies(plane: Plane): (mesh: string, read: ReadResource) => PermissionFamilies {
  const kept = new LRUCache<string, { readonly at: Head; readonly families: PermissionFamilies }>({ max: MESHES });
  return (mesh, read) => {
    const before = kept.get(mesh);
    const at = plane.store.head();
    const ours = before && touchedSince(plane, before.at)?.filter((key) => key.type === PERMISSION && key.mesh === mesh);
    const families = (before && ours && withTouched(read, before.families, ours)) ?? readFamilies(plane.store, mesh);
    kept.set(mesh, { at, families });
    return families;
  };
}

/** undefined: a witness is none any more, and who else is one is not known. */
function withTouched(read: ReadResource, families: PermissionFamilies, touched: readonly Key[]): PermissionFamilies | undefined {
  const isNow = (family: Family) => (key: Key) => isOf(family, read(key)?.spec ?? {});
  const holds = (family: Family): boolean => {
    const witness = families[family];
    return !witness || !touched.some((key) => sameKey(key, witness)) || isNow(family)(witness);
  };
  if (!holds('lists') || !holds('fromAll')) return undefined;
  const witnessOf = (family: Family): Key | undefined => families[family] ?? touched.findLast(isNow(family));
  return { lists: witnessOf('lists'), fromAll: witnessOf('fromAll') };
}
