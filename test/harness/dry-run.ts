import type { Plane } from '../../src/control/plane/plane.ts';
import type { AppliedSet } from '../../src/control/write/applied-sets.ts';
import { admitInParts, type Document, dryRunInParts, type WrittenDocument } from '../../src/control/write/write-documents.ts';
import { atOnce } from '../../src/resource/store/parts.ts';

/** What writing these documents would do, all parts at once. Throws what a write does. */
export function tryDocuments(plane: Plane, documents: readonly Document[], set?: AppliedSet): readonly WrittenDocument[] {
  return atOnce(
    dryRunInParts(plane, admitInParts(plane, documents, set), function* (_tx, _before, written) {
      yield;
      return written;
    }),
  );
}
