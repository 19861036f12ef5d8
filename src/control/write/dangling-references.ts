import { formatPath } from '../../resource/field-path.ts';
import { findReferences, impliedNamespace } from '../../naming/find-references.ts';
import type { Resource } from '../../resource/resource.ts';
import { type PlaneContents, owns } from '../plane/plane.ts';

/** A reference that points to nothing in this store. */
export interface Dangling {
  /** `to[0].targetRef` */
  readonly path: string;
  readonly reason: string;
}

/**
 * The references of a resource that point to nothing here (docs/design/roles.md#references): in a stored spec
 * references carry this store's names, so that each is one look-up.
 */
export function danglingReferences({ store, place }: PlaneContents, { key, spec }: Resource): readonly Dangling[] {
  return findReferences(key.type, spec).flatMap(({ path, kind, name, namespace }) => {
    const implied = owns(place, key) ? impliedNamespace(kind, key, place) : '';
    const where = namespace ?? implied;
    if (store.byName(kind, key.mesh, where, name)) return [];
    return [{ path: formatPath(path), reason: `${kind} ${where === '' ? name : `${name} in namespace ${where}`} does not exist` }];
  });
}
