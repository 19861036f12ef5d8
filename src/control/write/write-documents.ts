import { invalid, MeridianError, type Problem } from '../../errors.ts';
import { looksHashed } from '../../naming/hash-name.ts';
import { admit, type AdmittedDraft } from '../../policy/admit-draft.ts';
import { formatKri, type Key, keyId } from '../../resource/key.ts';
import { findKind, kindOf } from '../../resource/kinds.ts';
import type { ParsedDocument } from '../../resource/documents/parse-documents.ts';
import type { Draft } from '../../resource/resource.ts';
import { hasNamespaces } from '../../resource/rest-name.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import { meshesFirst } from '../put/meshes-first.ts';
import { putOwn, refuseForeign, requireMesh } from '../put/put-own.ts';
import { untilFree } from '../plane/in-turns.ts';
import { isGlobal, owns, type Plane } from '../plane/plane.ts';
import { rerender } from '../put/rerender-dependents.ts';
import { retryOf, retryOfAll } from '../receive/retry-refused.ts';
import { type AppliedSet, asMember, leftOut, refuseOtherSets } from './applied-sets.ts';
import { refuseTooManyRules } from './too-many-rules.ts';

/**
 * A document as a parser made it: the draft may be there beside problems. `validated`: what `validateDraft` finds is
 * among them.
 */
export type Document = Pick<ParsedDocument, 'draft' | 'problems'> & { readonly validated?: true };

/** What became of one document. */
export interface WrittenDocument {
  readonly key: Key;
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'deleted';
}

/**
 * Admits what a user applied, outside of any commit, and gives the body of one that writes all documents or none. Both
 * throw: `invalid` with every problem of every document (their fields are prefixed with `[index].` when there are
 * several), `read_only` for what another control plane owns, `not_found` for a mesh that is not there, `too_large`,
 * `conflict`. A Mesh among the documents is there for the others. What the parser found wrong is told together with the
 * rest. As a `set` they are labelled, and with `prune` what the set holds beside them is deleted in the same commit,
 * and told behind the rest; then `conflict` may be thrown by src/control/write/applied-sets.ts too.
 */
export function admitDocuments(
  plane: Plane,
  documents: readonly Document[],
  set?: AppliedSet,
): (tx: Transaction) => readonly WrittenDocument[] {
  const admitted = atOnce(admitAll(plane, documents, set));
  return (tx) => atOnce(writeAll(tx, plane, admitted, set));
}

/** With more documents, or with what a set leaves out, `admitInParts` is for them. */
const AT_ONCE = 200;

/** Whether documents are too many to be written in one turn of the event loop. */
export function areMany(documents: readonly Document[], set?: AppliedSet): boolean {
  return documents.length > AT_ONCE || set?.prune === true;
}

/** `admitDocuments` a step at a time, each about one document; what comes out is for `commitInParts`. */
export function* admitInParts(
  plane: Plane,
  documents: readonly Document[],
  set?: AppliedSet,
): Parts<(tx: Transaction) => Parts<readonly WrittenDocument[]>> {
  const admitted = yield* admitAll(plane, documents, set);
  return (tx) => writeAll(tx, plane, admitted, set);
}

/**
 * What a write of documents would do, without doing it, a step at a time: same results, same errors. All is written, so
 * that nothing is guessed, looked at with `look`, and rolled back. `before` reads what is there without it.
 */
export function* dryRunInParts<T>(
  plane: Plane,
  documents: readonly Document[],
  set: AppliedSet | undefined,
  look: (tx: Reader, before: Reader, written: readonly WrittenDocument[]) => Parts<T>,
): Parts<T> {
  const admitted = yield* admitAll(plane, documents, set);
  yield* untilFree(plane.store);
  return yield* plane.store.tryInParts(function* (tx, before) {
    return yield* look(tx, before, yield* writeAll(tx, plane, admitted, set));
  });
}

/** Deletes what this control plane owns. Throws `not_found`, `read_only`, or `conflict` for a mesh that is in use. */
export function deleteOwn(tx: Transaction, { place }: Plane, key: Key): void {
  const row = tx.get(key);
  if (!row) throw new MeridianError('not_found', `${formatKri(key) || key.name} does not exist`);
  refuseForeign(place, key, row.resource.labels);
  if (key.type === 'Mesh') refuseUsedMesh(tx, key.name);
  tx.delete(key);
}

interface Admission {
  readonly draft: Draft;
  readonly own: AdmittedDraft;
}

function* admitAll(plane: Plane, documents: readonly Document[], set: AppliedSet | undefined): Parts<Admission[]> {
  const problems: Problem[] = [];
  const admitted: Admission[] = [];
  for (const [index, document] of documents.entries()) {
    yield;
    const { found, admission } = admitOne(plane, set ? member(document, set) : document);
    for (const { field, reason } of found) problems.push({ field: documents.length > 1 ? `[${index}].${field}` : field, reason });
    if (admission) admitted.push(admission);
  }
  if (problems.length > 0) throw invalid(problems);
  refuseTwice(admitted);
  return admitted;
}

function member({ draft, problems, ...rest }: Document, set: AppliedSet): Document {
  if (!draft) return { problems };
  const joined = asMember(draft, set);
  return { ...rest, draft: joined.draft, problems: [...problems, ...joined.problems] };
}

function admitOne(plane: Plane, { draft, problems, validated }: Document): { found: readonly Problem[]; admission?: Admission } {
  if (!draft) return { found: problems };
  refuseCopies(plane, draft);
  const result = admit(draft, plane.place);
  const found = validated ? problems : [...problems, ...validateDraft(draft)];
  if ('problems' in result) return { found: [...found, ...result.problems] };
  return { found, admission: { draft, own: result.admitted } };
}

/** Who edits a copy under its name here is told where the original is, and not that the name looks hashed. */
function refuseCopies({ store, place }: Plane, { type, mesh, namespace, name }: Draft): void {
  if (findKind(type)?.hashed && !looksHashed(name)) return;
  const where = hasNamespaces(kindOf(type), place) ? (namespace ?? place.systemNamespace) : '';
  const row = store.byName(type, mesh, where, name);
  if (row && !owns(place, row.resource.key)) refuseForeign(place, row.resource.key, row.resource.labels);
}

/** Two documents for one resource: which one is meant is a guess. */
function refuseTwice(admitted: readonly Admission[]): void {
  const seen = new Map<string, number>();
  for (const [index, { own }] of admitted.entries()) {
    const earlier = seen.get(keyId(own.key));
    if (earlier !== undefined) throw invalid([{ field: `[${index}]`, reason: `is the same resource as [${earlier}]` }]);
    seen.set(keyId(own.key), index);
  }
}

function* writeAll(
  tx: Transaction,
  plane: Plane,
  admitted: readonly Admission[],
  set: AppliedSet | undefined,
): Parts<readonly WrittenDocument[]> {
  const keys = admitted.map(({ own }) => own.key);
  if (set) yield* refuseOtherSets(tx, set, keys);
  const results = new Map<Draft, WrittenDocument>();
  for (const { draft, own } of meshesFirst(admitted, ({ draft }) => draft.type)) {
    results.set(draft, writeOne(tx, plane, draft, own));
    yield;
  }
  const written = admitted.flatMap(({ draft }) => results.get(draft) ?? []);
  if (!set?.prune) return written;
  for (const key of yield* leftOut(tx, plane, set, keys)) {
    written.push(pruneOne(tx, plane, key));
    yield;
  }
  return written;
}

function pruneOne(tx: Transaction, plane: Plane, key: Key): WrittenDocument {
  deleteOwn(tx, plane, key);
  return { key, outcome: 'deleted' };
}

function writeOne(tx: Transaction, plane: Plane, draft: Draft, own: AdmittedDraft): WrittenDocument {
  requireMesh(tx, own.key.mesh);
  refuseTooManyRules(tx, own.key, draft.spec);
  const outcome = putOwn(tx, plane, { admitted: own, spec: draft.spec, status: draft.status });
  if (outcome === 'created') rerender(tx, plane, own.key);
  if (isGlobal(plane.place)) retry(tx, plane, { key: own.key, outcome });
  return { key: own.key, outcome };
}

/** Judges again what zones sent for a mesh before it existed, and what a zone sent while it was disabled. */
function retry(tx: Transaction, plane: Plane, { key: { type, name }, outcome }: WrittenDocument): void {
  if (type === 'Mesh' && outcome === 'created') retryOfAll(tx, plane, ({ key }) => key.mesh === name);
  if (type === 'Zone' && outcome === 'changed') retryOf(tx, plane, name, () => true);
}

/** A mesh with something in it stays: its rules would go with it. */
function refuseUsedMesh(tx: Transaction, mesh: string): void {
  const used = tx.counts().find((entry) => entry.mesh === mesh && kindOf(entry.type).scope === 'Mesh');
  if (!used) return;
  throw new MeridianError('conflict', `mesh ${mesh} still has ${used.count} of ${kindOf(used.type).plural}`, {
    problems: [{ field: 'name', reason: `mesh ${mesh} is in use` }],
    hint: 'delete what is in the mesh first',
  });
}
