import type { Plane } from '../../src/control/plane/plane.ts';
import type { AppliedSet } from '../../src/control/write/applied-sets.ts';
import { admitDocuments, deleteOwn, type Document, type WrittenDocument } from '../../src/control/write/write-documents.ts';
import type { Key } from '../../src/resource/key.ts';
import type { Draft } from '../../src/resource/resource.ts';

/** Writes as the API does, without its record of who wrote: admitted first, then in one commit. */
export function writeDocuments(plane: Plane, documents: readonly Document[], set?: AppliedSet): readonly WrittenDocument[] {
  return plane.store.commit(admitDocuments(plane, documents, set));
}

/** The same for drafts, as a parser makes them of documents in which nothing is wrong. */
export function writeDrafts(plane: Plane, drafts: readonly Draft[]): readonly WrittenDocument[] {
  return writeDocuments(
    plane,
    drafts.map((draft) => ({ draft, problems: [] })),
  );
}

/** Deletes as the API does, without its record. */
export function deleteResource(plane: Plane, key: Key): void {
  plane.store.commit((tx) => deleteOwn(tx, plane, key));
}
