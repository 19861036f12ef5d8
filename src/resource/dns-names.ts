import type { Problem } from '../errors.ts';
import { findKind } from './kinds.ts';
import { LABEL } from './labels.ts';
import { formatPath, quote } from './field-path.ts';
import type { Draft } from './resource.ts';

const LABEL_OF_DNS = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const DNS_LABEL = new RegExp(`^${LABEL_OF_DNS}$`);
const DNS_NAME = new RegExp(`^${LABEL_OF_DNS}(\\.${LABEL_OF_DNS})*$`);
const LABEL_NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
/** What would break a line of a log or a header. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * The name of a mesh, zone or namespace: a DNS-1123 label of up to 63 characters, hence one NATS token and one part of
 * a KRI.
 */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && DNS_LABEL.test(text);
}

/** The name of a resource: DNS-1123 with dots, up to 253 characters. */
export function isDnsName(text: string): boolean {
  return text.length <= 253 && DNS_NAME.test(text);
}

/** A label's key in Kubernetes' syntax: `app`, `kuma.io/mesh`. */
export function isLabelKey(text: string): boolean {
  const [last, prefix, ...rest] = text.split('/').reverse();
  return rest.length === 0 && LABEL_NAME.test(last ?? '') && (prefix === undefined || isDnsName(prefix));
}

/** A label's value: display names are longer than Kubernetes' 63 characters, hence 253. */
export function isLabelValue(text: string): boolean {
  return text.length <= 253 && !CONTROL.test(text) && text.isWellFormed();
}

export const DNS_LABEL_REASON = 'must be up to 63 lower-case letters, digits and "-", with a letter or digit at both ends';
export const DNS_NAME_REASON = 'must be up to 253 lower-case letters, digits, "-" and ".", with a letter or digit at the ends of each part';
export const LABEL_KEY_REASON = 'is not a label key: an optional DNS prefix and "/", then up to 63 letters, digits, "-", "_" and "."';
export const LABEL_VALUE_REASON = 'must be up to 253 characters, whole ones, without control characters';

/** Where a document says who it is. */
export interface IdentityFields {
  readonly name: string;
  readonly mesh: string;
  readonly namespace: string;
  readonly labels: readonly string[];
}

const UNIVERSAL_FIELDS: IdentityFields = {
  name: 'name',
  mesh: 'mesh',
  namespace: formatPath(['labels', LABEL.namespace]),
  labels: ['labels'],
};

/**
 * What is wrong with the names and labels of a draft of a known kind (docs/design/resources.md#names-and-characters):
 * the part of a document that becomes its key. For drafts that no parser made (from the wire) it is the check to ask
 * beside `validateDraft`.
 */
export function identityProblems(draft: Draft, at: IdentityFields = UNIVERSAL_FIELDS): Problem[] {
  const kind = findKind(draft.type);
  if (!kind) return [{ field: 'type', reason: `${quote(draft.type)} is not a kind` }];
  const problems: Problem[] = [];
  // Meshes and zones are named by others: their names have no dots.
  const strict = draft.type === 'Mesh' || draft.type === 'Zone';
  if (draft.name === '') problems.push({ field: at.name, reason: 'is missing' });
  else if (strict && !isDnsLabel(draft.name)) problems.push({ field: at.name, reason: DNS_LABEL_REASON });
  else if (!isDnsName(draft.name)) problems.push({ field: at.name, reason: DNS_NAME_REASON });
  if (kind.scope === 'Global' && draft.mesh !== '')
    problems.push({ field: at.mesh, reason: `must be left out: a ${kind.type} is in no mesh` });
  if (kind.scope === 'Mesh' && !isDnsLabel(draft.mesh)) problems.push({ field: at.mesh, reason: DNS_LABEL_REASON });
  if (draft.namespace !== undefined) problems.push(...namespaceProblems(draft.namespace, kind.namespaced, at.namespace));
  return [...problems, ...labelProblems(draft.labels, at.labels)];
}

function namespaceProblems(namespace: string, namespaced: boolean, field: string): Problem[] {
  if (!namespaced) return [{ field, reason: 'must be left out: this kind is in no namespace' }];
  return isDnsLabel(namespace) ? [] : [{ field, reason: DNS_LABEL_REASON }];
}

function labelProblems(labels: Draft['labels'], at: readonly string[]): Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const reason = labelReason(key, value);
    return reason === undefined ? [] : [{ field: formatPath([...at, key]), reason }];
  });
}

/** The labels that change what happens to a resource hold nothing but the words that are known. */
const WORDS: Readonly<Record<string, readonly string[]>> = { [LABEL.effect]: ['shadow'], [LABEL.sync]: ['enabled', 'disabled'] };

function labelReason(key: string, value: string): string | undefined {
  if (!isLabelKey(key)) return LABEL_KEY_REASON;
  if (!isLabelValue(value)) return LABEL_VALUE_REASON;
  const words = Object.hasOwn(WORDS, key) ? WORDS[key] : undefined;
  return words && !words.includes(value) ? `must be ${words.join(' or ')}` : undefined;
}
