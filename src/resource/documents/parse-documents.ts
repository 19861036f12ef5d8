import type { Problem } from '../../errors.ts';
import { readDocuments } from './read-documents.ts';
import { earlyField } from './early-kinds.ts';
import { Envelope } from './envelope.ts';
import { findKind, KINDS } from '../kinds.ts';
import { readKubernetes } from './kubernetes-form.ts';
import { nearest } from './nearest-word.ts';
import { isObject, quote } from '../field-path.ts';
import type { Draft, JsonObject } from '../resource.ts';
import { readUniversal } from './universal-form.ts';

/**
 * One document of a text. It is acceptable only when `problems` is empty and `validateDraft(draft)` finds none either:
 * the draft is there beside problems too, so that all problems of a document can be told at once.
 */
export interface ParsedDocument {
  /** Its position among the documents that are not empty, from 0. */
  readonly index: number;
  /** Absent when the text can't be read, is in neither format, or is of no known kind. */
  readonly draft?: Draft | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Parses a text of any number of YAML or JSON documents in either format (docs/design/resources.md#formats). Never
 * throws.
 */
export function parseDocuments(text: string): ParsedDocument[] {
  return readDocuments(text).map((read, index) =>
    'problem' in read ? { index, problems: [read.problem] } : { ...parseDocument(read.value), index },
  );
}

/**
 * Parses one value in either format, which `type` (Universal) or `apiVersion` and `kind` (Kubernetes) tell apart. The
 * draft is what the user wrote: nothing is computed but a default mesh. Never throws.
 */
export function parseDocument(value: unknown): ParsedDocument {
  if (!isObject(value)) return refused('document', 'must be an object');
  const universal = value.type !== undefined;
  const kubernetes = ['apiVersion', 'kind', 'metadata'].find((field) => value[field] !== undefined);
  if (universal && kubernetes) return refused(kubernetes, 'belongs to the Kubernetes format, and `type` to the Universal one: keep one');
  if (!universal && !kubernetes) return refused('type', 'is missing (or `apiVersion` and `kind`, in the Kubernetes format)');
  return parseKind(value, universal);
}

function parseKind(value: JsonObject, universal: boolean): ParsedDocument {
  const field = universal ? 'type' : 'kind';
  const type = value[field];
  if (typeof type !== 'string') return refused(field, type === undefined ? 'is missing' : 'must be a string');
  const kind = findKind(type);
  const early = earlyField(type, value);
  if (early) {
    return refused(early, 'marks the early form of policies: `meridianctl convert -f FILE` turns it into the form of today');
  }
  if (!kind) return refused(field, unknownKind(type));
  const document = new Envelope(value, kind);
  const draft = universal ? readUniversal(document) : readKubernetes(document);
  return { index: 0, draft, problems: document.problems };
}

function unknownKind(type: string): string {
  const types = KINDS.map((kind) => kind.type);
  // Kuma's older kinds and the Gateway API's have the names of today's without `Mesh`.
  const near = nearest(type, types) ?? nearest(`Mesh${type}`, types);
  return `${quote(type)} is not a kind${near === undefined ? '' : `: did you mean ${near}?`}`;
}

function refused(field: string, reason: string): ParsedDocument {
  return { index: 0, problems: [{ field, reason }] };
}
