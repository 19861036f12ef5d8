import type { Problem } from '../../errors.ts';
import { asObject, asText, isAbsent } from '../../naming/json.ts';
import { EARLY_TYPES } from '../../resource/documents/early-kinds.ts';
import { findKind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { isObject, quote } from '../../resource/field-path.ts';
import type { JsonObject } from '../../resource/resource.ts';

type EarlyFormat = 'universal' | 'kubernetes';

/** A policy in the early form (docs/design/sources.md#matching), in either format. */
export interface EarlyPolicy {
  /** Its place among the documents. */
  readonly index: number;
  readonly document: JsonObject;
  readonly format: EarlyFormat;
  /** What its kind is called today. */
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  /** In the early form's words: `{kind: Service, name: backend}`. */
  readonly targetRef: JsonObject;
  readonly conf: JsonObject;
}

/**
 * Whether a document is in the early form: only `conf`, at the top or in `spec`, says so. Kinds that are no policies
 * may have their own.
 */
export function isEarly(document: unknown): document is JsonObject {
  if (!isObject(document)) return false;
  const kind = findKind(asText(document.type) ?? asText(document.kind) ?? '');
  return (kind === undefined || kind.policy !== undefined) && (document.conf !== undefined || asObject(document.spec)?.conf !== undefined);
}

/** What a document says of itself, and in which fields. */
interface EarlyEnvelope {
  readonly at: { readonly kind: string; readonly name: string };
  /** Its kind. */
  readonly written: string | undefined;
  readonly name: string | undefined;
  readonly mesh: string | undefined;
}

const ENVELOPES: Readonly<Record<EarlyFormat, (document: JsonObject) => EarlyEnvelope>> = {
  universal: ({ type, name, mesh }) => ({
    at: { kind: 'type', name: 'name' },
    written: asText(type),
    name: asText(name),
    mesh: asText(mesh),
  }),
  kubernetes: ({ kind, metadata }) => {
    const { name, labels } = asObject(metadata) ?? {};
    const mesh = asObject(labels)?.[LABEL.mesh];
    return { at: { kind: 'kind', name: 'metadata.name' }, written: asText(kind), name: asText(name), mesh: asText(mesh) };
  },
};

/** Reads one document of the early form. Each problem names its place. */
export function readEarly(document: JsonObject, index: number): EarlyPolicy | Problem {
  const refuse = (field: string, reason: string): Problem => ({ field: `documents[${index}].${field}`, reason });
  const format = document.type === undefined ? 'kubernetes' : 'universal';
  const { at, written = '', name, mesh = 'default' } = ENVELOPES[format](document);
  const type = Object.hasOwn(EARLY_TYPES, written) ? EARLY_TYPES[written] : findKind(written)?.policy && written;
  const body = document.conf === undefined ? (asObject(document.spec) ?? {}) : document;
  const [targetRef, conf] = [isAbsent(body.targetRef) ? { kind: 'Mesh' } : asObject(body.targetRef), asObject(body.conf)];
  if (!type) return refuse(at.kind, `${quote(written)} is no kind of policy that is known`);
  if (name === undefined) return refuse(at.name, 'is missing');
  if (!targetRef) return refuse('targetRef', 'must be an object');
  if (!conf) return refuse('conf', 'must be an object');
  return { index, document, format, type, mesh, name, targetRef, conf };
}
