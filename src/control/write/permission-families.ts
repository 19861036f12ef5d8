import { LRUCache } from 'lru-cache';
import { asArray } from '../../naming/json.ts';
import { letsEverybodyIn } from '../../policy/decide/read-permissions.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { mtpOf } from '../../resource/permission.ts';
import { listsOf } from '../../resource/permission-actions.ts';
import type { JsonObject } from '../../resource/resource.ts';
import type { Head, Reader } from '../../resource/store/store.ts';
import { type Plane, touchedSince } from '../plane/plane.ts';

/**
 * A permission with deny or allow lists, or one that allows everybody with `from`. Where both select an inbound, the
 * latter opens nothing.
 */
export type Family = 'lists' | 'fromAll';

/** One permission of each family, if the mesh has it. */
export type PermissionFamilies = Readonly<Record<Family, Key | undefined>>;

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

/** Looks for one permission of each family among the first of a mesh. */
export function readFamilies(store: Reader, mesh: string): PermissionFamilies {
  const { items } = store.list({ type: PERMISSION, mesh }, 0, LOOKED_AT);
  // Reading a permission takes long, so it is not done for items that can't belong to the family.
  const first = (family: Family): Key | undefined =>
    items.find(({ spec }) => asArray(spec.from).length > 0 === (family === 'fromAll') && familyOf(spec) === family)?.key;
  return { lists: first('lists'), fromAll: first('fromAll') };
}

/**
 * The same for a plane, cached: a write costs only as much as it touched.
 *
 *   {lists: a}, z is written and allows everybody   -> {lists: a, fromAll: z}
 *   {lists: a}, a is deleted                        -> the mesh is looked through again
 */
export function keepFamilies(plane: Plane): (mesh: string) => PermissionFamilies {
  const kept = new LRUCache<string, { readonly at: Head; readonly families: PermissionFamilies }>({ max: MESHES });
  return (mesh) => {
    const before = kept.get(mesh);
    const at = plane.store.head();
    const ours = before && touchedSince(plane, before.at)?.filter((key) => key.type === PERMISSION && key.mesh === mesh);
    const families = (before && ours && withTouched(plane.store, before.families, ours)) ?? readFamilies(plane.store, mesh);
    kept.set(mesh, { at, families });
    return families;
  };
}

/** undefined: a witness is none any more, and who else is one is not known. */
function withTouched(store: Reader, families: PermissionFamilies, touched: readonly Key[]): PermissionFamilies | undefined {
  const found = new Map<Family, Key>();
  const now = new Map(touched.map((key) => [keyId(key), familyOf(store.get(key)?.resource.spec ?? {})]));
  for (const key of touched) {
    const family = now.get(keyId(key));
    if (family) found.set(family, key);
  }
  const holds = (family: Family): boolean => {
    const witness = families[family];
    return !witness || !now.has(keyId(witness)) || now.get(keyId(witness)) === family;
  };
  if (!holds('lists') || !holds('fromAll')) return undefined;
  return { lists: families.lists ?? found.get('lists'), fromAll: families.fromAll ?? found.get('fromAll') };
}
