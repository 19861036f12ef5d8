import { LRUCache } from 'lru-cache';
import { LabelIndex } from '../../policy/match/carried-labels.ts';
import type { Referable } from '../../policy/dangling-selections.ts';
import { indexMesh } from '../../policy/match/mesh-index.ts';
import { findKind } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Key } from '../../resource/key.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Head } from '../../resource/store/store.ts';
import { type PlaneContents, type Plane, touchedSince } from '../plane/plane.ts';

/**
 * With more of a kind in a mesh, nobody is told that labels or tags select nothing: a warning is not worth reading them
 * all.
 */
const MOST = 20_000;
/** How many meshes are kept ready: each holds all that was read of it. */
const MESHES = 4;

/** What of a mesh can be referred to. */
export interface MeshReferable extends Referable {
  /** Reads in steps what `carried` would read at once of this kind. */
  readonly prepare: (type: string) => Parts<void>;
}

/**
 * What of a mesh can be referred to, looked up in `held`, which does not change, when it is asked for, and kept as long
 * as this object is.
 */
export function readReferable(held: PlaneContents, mesh: string): MeshReferable {
  return referableOf(
    held,
    mesh,
    readLists(held, mesh, () => []),
  );
}

/** What was read of a mesh, by kind. */
interface MeshLists extends Pick<MeshReferable, 'prepare'> {
  readonly carried: (type: string) => LabelIndex | undefined;
  readonly known: ReadonlyMap<string, LabelIndex | undefined>;
  readonly gateways: () => readonly Resource[];
}

/** `since`: the keys that were touched since the store was so. */
function readLists({ store }: PlaneContents, mesh: string, since: (before: Head) => readonly Key[] | undefined): MeshLists {
  const known = new Map<string, LabelIndex | undefined>();
  let gateways: readonly Resource[] | undefined;
  const list = (type: string, most: number) => store.list({ type, mesh }, 0, most).items;
  const ofGateways = () => (gateways ??= list('MeshGateway', MOST));
  const carried = (type: string) => {
    if (known.has(type)) return known.get(type);
    const found = list(type, MOST + 1);
    const made = found.length > MOST ? undefined : new LabelIndex(found, indexMesh(type === 'Dataplane' ? ofGateways() : []));
    known.set(type, made);
    return made;
  };
  return { carried, known, gateways: ofGateways, prepare };

  function* prepare(type: string): Parts<void> {
    if (known.has(type)) return;
    const head = store.head();
    const index = new LabelIndex([], indexMesh(type === 'Dataplane' ? ofGateways() : []));
    let count = 0;
    for (const { resource } of store.each(type)) {
      if (resource.key.mesh === mesh && ++count <= MOST) index.put(resource);
      if (count > MOST) break;
      yield;
    }
    const late = since(head);
    // Others may have read it meanwhile; where it is not known what changed, it is read when it is asked for.
    if (!late || known.has(type)) return;
    takeOver(
      { store },
      index,
      late.filter((key) => key.type === type && key.mesh === mesh),
    );
    known.set(type, count > MOST ? undefined : index);
  }
}

function takeOver({ store }: Pick<PlaneContents, 'store'>, index: LabelIndex | undefined, touched: readonly Key[]): void {
  for (const key of touched) {
    const resource = store.get(key)?.resource;
    if (resource) index?.put(resource);
    else index?.delete(key);
  }
}

function referableOf({ store, place }: PlaneContents, mesh: string, { carried, gateways, prepare }: MeshLists): MeshReferable {
  return {
    carried,
    prepare,
    get gateways() {
      return gateways();
    },
    holder: (type, name) => store.nameHolder(type, name),
    named(type, { resource }, { name = '', namespace }) {
      const kind = findKind(type);
      const { key } = resource;
      const own = kind?.namespaced ? (namespace ?? (kind.systemOnly ? place.systemNamespace : key.namespace)) : '';
      const origin = store.get({ type, mesh, zone: key.zone, namespace: own, name });
      const here = store.byName(type, mesh, own, name);
      return [origin, here].flatMap((row) => row?.resource ?? []);
    },
  };
}

/**
 * The same for a plane, kept: it is read when labels or tags are first asked for, and then costs no more than what
 * writes touch.
 */
export function keepReferable(plane: Plane): (mesh: string) => MeshReferable {
  const kept = new LRUCache<string, { at: Head; readonly lists: MeshLists; readonly referable: MeshReferable }>({ max: MESHES });
  return (mesh) => {
    const before = kept.get(mesh);
    const at = plane.store.head();
    if (before && isUpToDate(plane, mesh, before)) {
      before.at = at;
      return before.referable;
    }
    const lists = readLists(plane, mesh, (before) => touchedSince(plane, before));
    const referable = referableOf(plane, mesh, lists);
    kept.set(mesh, { at, lists, referable });
    return referable;
  };
}

/** Takes over what was touched; false: all is to be read again. Listeners of gateways may be at any proxy. */
function isUpToDate(plane: Plane, mesh: string, { at, lists }: { readonly at: Head; readonly lists: MeshLists }): boolean {
  const touched = touchedSince(plane, at)?.filter((key) => key.mesh === mesh);
  if (!touched || touched.some(({ type }) => type === 'MeshGateway')) return false;
  for (const [type, index] of lists.known)
    takeOver(
      plane,
      index,
      touched.filter((key) => key.type === type),
    );
  return true;
}
