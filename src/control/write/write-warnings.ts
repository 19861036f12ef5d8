import { danglingSelections, kindsByLabels } from '../../policy/dangling-selections.ts';
import { warningsOfDocument } from '../../policy/document-warnings.ts';
import { type Key, formatKri, keyId, sameKey } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import type { Resource } from '../../resource/resource.ts';
import { familyOf, keepFamilies, type PermissionFamilies, possibleFamily, readFamilies, type ReadResource } from './permission-families.ts';
import type { PlaneContents, Plane } from '../plane/plane.ts';
import { keepReferable, type MeshReferable, readReferable } from './referable-names.ts';
import { danglingReferences } from './dangling-references.ts';

/** What of a mesh has to be known beside a resource. */
export interface WarningContext {
  /** `read`: for what of the mesh was touched since it was last asked. */
  readonly families: (mesh: string, read: ReadResource) => PermissionFamilies;
  readonly referable: (mesh: string) => MeshReferable;
}

/** The same for a plane, kept: a write costs no more than what it touches. */
export function keepBeside(plane: Plane): WarningContext {
  return { families: keepFamilies(plane), referable: keepReferable(plane) };
}

function readBeside(held: PlaneContents): WarningContext {
  return { families: (mesh) => readFamilies(held.store, mesh), referable: (mesh) => readReferable(held, mesh) };
}

/**
 * What the author of each of these resources, which are stored, may not expect of it: what its document says
 * (src/policy/document-warnings.ts), what of it points to nothing or selects nothing, and permissions that open nothing
 * beside others. None for a key that is not there. `beside`: read from `held` if left out.
 */
export function warningsAbout(held: PlaneContents, keys: readonly Key[], beside: WarningContext = readBeside(held)): (readonly string[])[] {
  return atOnce(warningsInParts(held, keys, beside));
}

/** The same a step at a time, each about one key, or about one of what labels and tags may mean. */
export function* warningsInParts(
  held: PlaneContents,
  keys: readonly Key[],
  beside: WarningContext = readBeside(held),
): Parts<(readonly string[])[]> {
  const read = onceEach(keyId, (key: Key) => held.store.get(key)?.resource);
  const families = onceEach(String, (mesh) => beside.families(mesh, read));
  const referable = onceEach(String, beside.referable);
  const warnings: (readonly string[])[] = [];
  for (const key of keys) {
    const resource = read(key);
    if (resource && findKind(key.type)?.policy) yield* prepared(resource, referable(key.mesh));
    warnings.push(resource ? warningsOf(held, resource, families, referable) : []);
    yield;
  }
  return warnings;
}

function* prepared(resource: Resource, there: MeshReferable): Parts<void> {
  for (const type of kindsByLabels(resource, there)) yield* there.prepare(type);
}

function onceEach<K, T>(idOf: (key: K) => string, read: (key: K) => T): (key: K) => T {
  const known = new Map<string, T>();
  return (key) => {
    const id = idOf(key);
    const found = known.get(id) ?? read(key);
    known.set(id, found);
    return found;
  };
}

function warningsOf(
  held: PlaneContents,
  resource: Resource,
  families: (mesh: string) => PermissionFamilies,
  referable: WarningContext['referable'],
): string[] {
  const { key, labels, spec } = resource;
  const dangling = danglingReferences(held, resource).map(({ path, reason }) => `spec.${path}: ${reason}`);
  const selecting = findKind(key.type)?.policy ? danglingSelections(resource, referable(key.mesh)) : [];
  const leftovers = key.type === 'MeshTrafficPermission' ? leftoverWarnings(resource, families(key.mesh)) : [];
  return [...selecting, ...dangling, ...warningsOfDocument(key.type, labels, spec), ...leftovers];
}

/**
 * Where both families select an inbound, a `from` that allows everybody opens nothing any more
 * (docs/design/access.md#evaluation).
 */
function leftoverWarnings({ key, spec }: Resource, { lists, fromAll }: PermissionFamilies): string[] {
  const other = possibleFamily(spec) === 'lists' ? fromAll : lists;
  if (!other) return [];
  const family = familyOf(spec);
  if (family === 'lists' && fromAll && !sameKey(fromAll, key)) {
    return [`${formatKri(fromAll)} allows every client with 'from', which opens nothing where this one selects the same inbound`];
  }
  if (family !== 'fromAll' || !lists) return [];
  const others = `a policy with deny or allow lists, like ${formatKri(lists)}, selects the same inbound`;
  return [`it allows every client with 'from', which opens nothing where ${others}`];
}
