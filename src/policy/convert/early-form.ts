import type { Problem } from '../../errors.ts';
import { asObject, asText, isAbsent } from '../../naming/json.ts';
import { EARLY_TYPES } from '../../resource/documents/early-kinds.ts';
import { findKind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { isObject, quote } from '../../resource/field-path.ts';
import type { JsonObject } from '../../resource/resource.ts';

/** A policy in the early form (docs/design/sources.md#matching), in either format. */
export interface EarlyPolicy {
  /** Its place among the documents. */
  readonly index: number;
  readonly document: JsonObject;
  readonly format: 'universal' | 'kubernetes';
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

/** Reads one document of the early form. Each problem names its place. */
export function readEarly(document: JsonObject, index: number): EarlyPolicy | Problem {
  const refuse = (field: string, reason: string): Problem => ({ field: `documents[${index}].${field}`, reason });
  const format = document.type === undefined ? 'kubernetes' : 'universal';
  const metadata = format === 'universal' ? document : (asObject(document.metadata) ?? {});
  const written = asText(format === 'universal' ? document.type : document.kind) ?? '';
  const type = Object.hasOwn(EARLY_TYPES, written) ? EARLY_TYPES[written] : findKind(written)?.policy && written;
  const name = asText(metadata.name);
  const body = document.conf === undefined ? (asObject(document.spec) ?? {}) : document;
  const [targetRef, conf] = [isAbsent(body.targetRef) ? { kind: 'Mesh' } : asObject(body.targetRef), asObject(body.conf)];
  if (!type) return refuse(format === 'universal' ? 'type' : 'kind', `${quote(written)} is no kind of policy that is known`);
  if (name === undefined) return refuse(format === 'universal' ? 'name' : 'metadata.name', 'is missing');
  if (!targetRef) return refuse('targetRef', 'must be an object');
  if (!conf) return refuse('conf', 'must be an object');
  const mesh = asText(format === 'universal' ? document.mesh : asObject(metadata.labels)?.[LABEL.mesh]) ?? 'default';
  return { index, document, format, type, mesh, name, targetRef, conf };
}
