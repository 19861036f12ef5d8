import type { Document } from '../../control/write/write-documents.ts';
import { parseDocument } from '../../resource/documents/parse-documents.ts';
import { eachDocument, type ReadDocument } from '../../resource/documents/read-documents.ts';
import { BODY_LIMITS } from '../../resource/documents/reading-limits.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import { isObject } from '../../resource/field-path.ts';
import { findKind } from '../../resource/kinds.ts';
import type { Place } from '../../resource/resource.ts';
import { parseJson } from '../http/request-bodies.ts';
import { withoutRestName } from '../resources/locate-resource.ts';

/**
 * The documents of a text, one after the other, in either YAML or JSON; a JSON list is one document for each of its
 * items. Throws `invalid`.
 */
export function* valuesIn(text: string, isJson: boolean): Generator<ReadDocument, void> {
  if (!isJson) return yield* eachDocument(text, BODY_LIMITS);
  const value = parseJson(text);
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) yield { value: item };
}

/** A value of a body as the document that it is. */
export function toDocument(read: ReadDocument, place: Place): Document {
  if ('problem' in read) return { problems: [read.problem] };
  const type = isObject(read.value) ? read.value.type : undefined;
  const { draft, problems } = parseDocument(withoutRestName(read.value, typeof type === 'string' ? findKind(type) : undefined, place));
  return { draft, problems };
}

/** The same, and all that is wrong with it. */
export function toValidDocument(read: ReadDocument, place: Place): Document {
  const { draft, problems } = toDocument(read, place);
  return draft ? { draft, problems: [...problems, ...validateDraft(draft)], validated: true } : { problems };
}
