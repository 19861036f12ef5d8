import type { Key } from '../resource/key.ts';
import { findKind, isRoute } from '../resource/kinds.ts';
import { isObject, type Path } from '../resource/field-path.ts';
import { type JsonObject, type JsonValue, type Place, usesNamespaces } from '../resource/resource.ts';
import { looksHashed } from './hash-name.ts';
import { asArray, asObject, asText, isAbsent, isArray } from './json.ts';

/** A place in a policy's spec that names another resource. `path` starts at the spec: `['to', 0, 'targetRef']`. */
export interface Reference {
  readonly path: Path;
  readonly kind: string;
  readonly name: string;
  /** As written; absent when it is not said. */
  readonly namespace?: string;
}

/** What a reader calls the target of the reference at `path`. `namespace` undefined: the field is taken away. */
export interface Rendering {
  readonly path: Path;
  readonly name: string;
  readonly namespace: string | undefined;
}

export interface SpecReference {
  readonly path: Path;
  readonly value: JsonValue | undefined;
}

/**
 * Every reference by name in the spec of a policy of kind `type` (docs/design/roles.md#references): `to[].targetRef`,
 * and, in the rules of routes, `backendRefs` and the mirrors' `backendRef`. References by labels hold everywhere as
 * they are, and the top-level targetRef selects proxies: neither is in the result.
 */
export function findReferences(type: string, spec: JsonObject): Reference[] {
  return referencePlaces(type, spec).flatMap(toReference);
}

/** Where such references stand, by name or not, with what stands there. */
export function referencePlaces(type: string, spec: JsonObject): SpecReference[] {
  if (!findKind(type)?.policy?.to) return [];
  return asArray(spec.to).flatMap((item, i): SpecReference[] => {
    const path: Path = ['to', i];
    const target = { path: [...path, 'targetRef'], value: asObject(item)?.targetRef };
    const backends = isRoute(type) ? backendsOf(path, asObject(item)) : [];
    return [target, ...backends];
  });
}

function backendsOf(path: Path, item: JsonObject | undefined): SpecReference[] {
  return asArray(item?.rules).flatMap((rule, i) => {
    const at: Path = [...path, 'rules', i, 'default'];
    const { backendRefs, filters } = asObject(asObject(rule)?.default) ?? {};
    const backends = asArray(backendRefs).map((value, j): SpecReference => ({ path: [...at, 'backendRefs', j], value }));
    const mirrors = asArray(filters).map((filter, j): SpecReference => {
      const value = asObject(asObject(filter)?.requestMirror)?.backendRef;
      return { path: [...at, 'filters', j, 'requestMirror', 'backendRef'], value };
    });
    return [...backends, ...mirrors];
  });
}

/** A MeshServiceSubset names the value of a tag, not a resource. */
function toReference({ path, value }: SpecReference): Reference[] {
  const { kind, name, namespace, labels } = asObject(value) ?? {};
  if (typeof kind !== 'string' || !findKind(kind)?.named || typeof name !== 'string' || name === '' || !isAbsent(labels)) return [];
  const said = asText(namespace);
  return [said === undefined ? { path, kind, name } : { path, kind, name, namespace: said }];
}

/**
 * The namespace that a reference of `policy` means when it says none: the policy's own, and for what only lives in the
 * system namespace, that of the origin. '' where the origin has no namespaces.
 */
export function impliedNamespace(kind: string, policy: Key, origin: Place): string {
  if (!usesNamespaces(origin.environment)) return '';
  return findKind(kind)?.systemOnly ? origin.systemNamespace : policy.namespace;
}

/**
 * The key of a reference's target, whether or not it exists. `origin` is where the policy was written. `holder` knows
 * the copies' names: where names are global (on global, in a universal zone, in the system namespace), a reference may
 * name a copy, and then means what it is a copy of.
 *
 *   east, namespace `ns`: `{kind: MeshService, name: backend}`                                  -> backend of east, ns
 *   the same with `name: web-<hash>, namespace: kuma-system`, a copy of web of west, namespace `w`  -> web of west, w
 *   the same where nobody holds that name yet                                                   -> nobody's web-<hash>
 */
export function resolveReference(
  reference: Reference,
  policy: Key,
  origin: Place,
  holder: (type: string, name: string) => Key | undefined,
): Key {
  const { kind, name } = reference;
  const namespace = reference.namespace ?? impliedNamespace(kind, policy, origin);
  // On universal and on global the system namespace is '', as is that of every reference without one.
  if (!looksHashed(name) || namespace !== origin.systemNamespace)
    return { type: kind, mesh: policy.mesh, zone: policy.zone, namespace, name };
  const held = holder(kind, name);
  // Names are shared by all meshes, references never leave theirs.
  return held?.mesh === policy.mesh ? held : nobodys(kind, policy.mesh, name);
}

/**
 * The key that stands for the holder of a copy's name until it is known. Nothing can have it: no user may write such a
 * name on global.
 */
export function nobodys(type: string, mesh: string, name: string): Key {
  return { type, mesh, zone: '', namespace: '', name };
}

/** Whether a target is the unknown holder of a copy's name. */
export function isNobodys({ zone, namespace, name }: Key): boolean {
  return zone === '' && namespace === '' && looksHashed(name);
}

/** How the reader at `place` calls `target`: by its own name where it comes from, elsewhere by that of its copy. */
export function referenceAt(place: Place, target: Key, assignedName: string): { name: string; namespace?: string } {
  const home = place.zone === target.zone;
  const name = home ? target.name : assignedName;
  const namespace = home ? target.namespace : place.systemNamespace;
  return namespace === '' ? { name } : { name, namespace };
}

/**
 * The spec with these names and namespaces in its references. Everything else is shared with the input, which does not
 * change. A path that leads to no object is skipped.
 */
export function renderReferences(spec: JsonObject, renderings: readonly Rendering[]): JsonObject {
  const root: JsonObject = { spec };
  const copies = new Set<object>([root]);
  for (const rendering of renderings) {
    const path: Path = ['spec', ...rendering.path];
    if (!isObject(valueAt(root, path))) continue;
    const reference = copyAlong(root, path, copies);
    reference.name = rendering.name;
    if (rendering.namespace === undefined) delete reference.namespace;
    else reference.namespace = rendering.namespace;
  }
  return asObject(root.spec) ?? spec;
}

function valueAt(root: JsonObject, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((value, step) => child(value, step), root);
}

function child(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

type Writable = Record<string | number, JsonValue | undefined>;

/** Copies every node on the path that is not a copy yet, and gives the last one. The path was checked. */
function copyAlong(root: JsonObject, path: Path, copies: Set<object>): Writable {
  let node = root as Writable;
  for (const step of path) {
    const original = node[step] as JsonObject | readonly JsonValue[];
    const copy = copies.has(original) ? original : isArray(original) ? [...original] : { ...original };
    copies.add(copy);
    node[step] = copy;
    node = copy as unknown as Writable;
  }
  return node;
}

/**
 * Whether anything in the spec refers to a MeshExternalService, by name or by labels: such a policy never leaves for
 * other zones.
 */
export function mentionsExternalService(spec: JsonObject): boolean {
  const open: (JsonValue | undefined)[] = [spec];
  // A stack of its own: a spec may be nested deeper than ours allows.
  while (open.length > 0) {
    const value = open.pop();
    if (isObject(value) && value.kind === 'MeshExternalService') return true;
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner as JsonValue | undefined);
  }
  return false;
}
