import type { Problem } from '../../../src/errors.ts';
import { admit } from '../../../src/policy/admit-draft.ts';
import { warningsOfDocument } from '../../../src/policy/document-warnings.ts';
import { explicitForm } from '../../../src/policy/explicit-form.ts';
import { describeReach } from '../../../src/policy/policy-reach.ts';
import type { Role } from '../../../src/policy/policy-role.ts';
import { readDocuments } from '../../../src/resource/documents/read-documents.ts';
import { FILE_LIMITS } from '../../../src/resource/documents/reading-limits.ts';
import { kindOf } from '../../../src/resource/kinds.ts';
import { parseDocument } from '../../../src/resource/documents/parse-documents.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { type Draft, GLOBAL, type JsonObject, type Place, usesNamespaces } from '../../../src/resource/resource.ts';
import { hasNamespaces } from '../../../src/resource/rest-name.ts';
import { validateDraft } from '../../../src/resource/documents/validate-draft.ts';

/** Where documents are linted, as far as it was said. */
export interface LintPlace {
  readonly zone?: string | undefined;
  readonly environment?: Place['environment'] | undefined;
  readonly systemNamespace?: string | undefined;
}

/**
 * What is known of one document before it is applied (docs/design/interfaces.md#command-line). null: it can't be told.
 */
export interface DocumentFacts {
  readonly type: string | null;
  readonly name: string | null;
  /** '' where there is none. */
  readonly namespace: string | null;
  /** Of policies and access policies. */
  readonly role: Role | null;
  /** How far it gets from where it is applied. */
  readonly reaches: string | null;
  /** The spec in its explicit form, of what has a role. */
  readonly explicit: JsonObject | null;
  readonly problems: readonly Problem[];
}

const DEFAULT_ZONE = 'zone-1';
const DEFAULT_SYSTEM_NAMESPACE = 'kuma-system';
const UNKNOWN: Omit<DocumentFacts, 'problems'> = { type: null, name: null, namespace: null, role: null, reaches: null, explicit: null };

/** A document as linted, and what its author may not expect of it though it is accepted: as a control plane warns. */
export interface LintResult {
  readonly linted: DocumentFacts;
  readonly warnings: readonly string[];
}

/** Lints every document of a text, each for itself: what stands beside it changes nothing. Never throws. */
export function lintText(text: string, where: LintPlace): LintResult[] {
  return readDocuments(text, FILE_LIMITS).map((read) =>
    'problem' in read ? { linted: { ...UNKNOWN, problems: [read.problem] }, warnings: [] } : lintValue(read.value, where),
  );
}

function lintValue(value: unknown, where: LintPlace): LintResult {
  const { draft, problems } = parseDocument(value);
  if (!draft) return { linted: { ...UNKNOWN, ...claims(value), problems }, warnings: [] };
  return { linted: lintDraft(draft, problems, where), warnings: warningsOfDocument(draft.type, draft.labels, draft.spec) };
}

/**
 * The role needs no more than admission; how far it gets and what it means are told of what would be accepted as it is.
 */
function lintDraft(draft: Draft, unread: readonly Problem[], where: LintPlace): DocumentFacts {
  const place = placeFor(draft, where);
  const kind = kindOf(draft.type);
  const namespace = draft.namespace || (hasNamespaces(kind, place) ? place.systemNamespace : '');
  const named = { ...UNKNOWN, type: draft.type, name: draft.name, namespace };
  const admission = admit(draft, place);
  const problems = [...unread, ...validateDraft(draft)];
  if ('problems' in admission) return { ...named, problems: [...problems, ...admission.problems] };
  const { key, labels, role } = admission.admitted;
  if (problems.length > 0) return { ...named, role: role ?? null, problems };
  const reaches = describeReach(kind, key, labels, draft.spec, role);
  return {
    ...named,
    role: role ?? null,
    reaches,
    explicit: role ? explicitForm(draft.type, draft.spec, role, key, place) : null,
    problems,
  };
}

/**
 * A document with a namespace can only be a zone's, and so is everything once a zone is spoken of; else it is linted as
 * on global.
 *
 *   --zone east                         -> kubernetes zone east
 *   --environment universal             -> universal zone `zone-1`
 *   nothing, namespace backend-ns       -> kubernetes zone `zone-1`
 */
function placeFor({ namespace }: Draft, where: LintPlace): Place {
  const { zone, environment, systemNamespace } = where;
  if (!(zone ?? environment ?? systemNamespace ?? namespace)) return GLOBAL;
  const meant = environment ?? 'kubernetes';
  return {
    zone: zone ?? DEFAULT_ZONE,
    environment: meant,
    systemNamespace: usesNamespaces(meant) ? (systemNamespace ?? DEFAULT_SYSTEM_NAMESPACE) : '',
  };
}

/** What a document that is of no known kind says of itself. */
function claims(value: unknown): Pick<DocumentFacts, 'type' | 'name'> {
  const { type, kind, name, metadata }: JsonObject = isObject(value) ? value : {};
  const inner: JsonObject = isObject(metadata) ? metadata : {};
  return { type: firstText(type, kind), name: firstText(name, inner.name) };
}

function firstText(...values: readonly unknown[]): string | null {
  return values.find((value): value is string => typeof value === 'string') ?? null;
}
