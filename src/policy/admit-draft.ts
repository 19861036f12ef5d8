import type { Problem } from '../errors.ts';
import { looksHashed } from '../naming/hash-name.ts';
import type { Key } from '../resource/key.ts';
import { findKind, type Kind } from '../resource/kinds.ts';
import { COMPUTED_LABELS, LABEL, type Labels } from '../resource/labels.ts';
import { formatPath, quote } from '../resource/field-path.ts';
import type { Draft, Place } from '../resource/resource.ts';
import { hasNamespaces } from '../resource/rest-name.ts';
import { attributeProblems } from './access/key-problems.ts';
import { gatewayProblems } from './gateway-rules.ts';
import { relabel } from './relabel-copy.ts';
import { hasRole, isCustom, type Role, roleOf } from './policy-role.ts';

/** What a control plane makes of a user's document. */
export interface AdmittedDraft {
  readonly key: Key;
  /** What it is called here: its display name. */
  readonly name: string;
  /** '' where there are no namespaces. */
  readonly namespace: string;
  /** The user's and the computed ones. */
  readonly labels: Labels;
  /** Of policies and access policies. */
  readonly role?: Role | undefined;
}

/**
 * What the control plane at `place` makes of a document, or everything that it refuses about it
 * (docs/design/resources.md#strictness). Whether the document is well formed is asked elsewhere. Labels that would be
 * computed may be repeated; any other value is refused, naming the label.
 *
 *   at zone east, MeshTimeout `slow` of `backend-ns`, to: backend   -> (default, east, backend-ns, slow), a producer
 *   at east, the same without a namespace                           -> (default, east, kuma-system, slow), system
 *   at global, the same with a namespace                            -> refused
 */
export function admit(draft: Draft, place: Place): { readonly admitted: AdmittedDraft } | { readonly problems: readonly Problem[] } {
  const kind = findKind(draft.type);
  if (!kind) return { problems: [{ field: 'type', reason: `${quote(draft.type)} is not a kind` }] };
  const namespace = namespaceAt(kind, draft, place);
  const { role, problems: refusals } = roleAt(kind, draft, namespace, place);
  const mesh = kind.scope === 'Mesh' ? draft.mesh : '';
  const key: Key = { type: kind.type, mesh, zone: place.zone, namespace, name: draft.name };
  const labels = relabel(key, draft.labels, place, place.environment, role);
  const problems = [
    ...writerProblems(kind, place),
    ...nameProblems(kind, draft, namespace, place),
    ...namespaceProblems(kind, draft, place),
    ...refusals,
    ...attributeProblems(kind.type, draft.spec),
    ...gatewayProblems(kind.type, draft.spec, role, namespace, place.systemNamespace),
    ...labelProblems(kind, draft, labels, place, refusals.length > 0),
  ];
  if (problems.length > 0) return { problems };
  return { admitted: { key, name: draft.name, namespace, labels, ...(role ? { role } : {}) } };
}

function namespaceAt(kind: Kind, draft: Draft, place: Place): string {
  return hasNamespaces(kind, place) ? draft.namespace || place.systemNamespace : '';
}

interface LocalRole {
  readonly role: Role | undefined;
  readonly problems: readonly Problem[];
}

function roleAt(kind: Kind, draft: Draft, namespace: string, place: Place): LocalRole {
  if (!hasRole(kind)) return { role: undefined, problems: [] };
  const result = roleOf(kind, draft.spec, namespace, place.systemNamespace);
  return 'role' in result ? { role: result.role, problems: [] } : { role: undefined, problems: result.problems };
}

function writerProblems(kind: Kind, place: Place): Problem[] {
  const global = place.zone === '';
  if (global ? kind.writtenBy.global : kind.writtenBy.zone) return [];
  return [{ field: 'type', reason: `a ${kind.type} can only be applied on ${global ? 'a zone' : 'global'}` }];
}

/** Where copies lie beside a control plane's own resources, nobody may take a copy's name. */
function nameProblems(kind: Kind, draft: Draft, namespace: string, place: Place): Problem[] {
  if (!kind.hashed || !looksHashed(draft.name) || isCustom(namespace, place.systemNamespace)) return [];
  return [{ field: 'name', reason: 'must not end with "-" and 16 characters like a hash: such names are those of synced copies' }];
}

function namespaceProblems(kind: Kind, { namespace, labels }: Draft, place: Place): Problem[] {
  if (!namespace) return [];
  const reason = namespaceReason(kind, namespace, place);
  if (reason === undefined) return [];
  const field = labels[LABEL.namespace] === namespace ? formatPath(['labels', LABEL.namespace]) : 'metadata.namespace';
  return [{ field, reason }];
}

function namespaceReason(kind: Kind, namespace: string, place: Place): string | undefined {
  if (!hasNamespaces(kind, place)) return `must be left out: ${whyNoNamespace(kind, place)}`;
  if (!kind.systemOnly || namespace === place.systemNamespace) return undefined;
  return `must be ${quote(place.systemNamespace)}: a ${kind.type} lives in the system namespace only`;
}

function whyNoNamespace(kind: Kind, place: Place): string {
  if (!kind.namespaced) return `a ${kind.type} is in no namespace`;
  if (place.zone !== '') return 'a universal zone has no namespaces';
  return 'global has no namespaces; a policy in a custom namespace can only be applied on a zone';
}

/**
 * A computed label says what is proven. Without a role nobody can say what its label should be: the reason is a problem
 * already.
 */
function labelProblems(kind: Kind, draft: Draft, right: Labels, place: Place, noRole: boolean): Problem[] {
  return COMPUTED_LABELS.filter((label) => Object.hasOwn(draft.labels, label) && draft.labels[label] !== right[label])
    .filter((label) => !(label === LABEL.role && noRole))
    .filter((label) => !(label === LABEL.namespace && draft.namespace && draft.namespace === draft.labels[label]))
    .map((label) => {
      const value = right[label];
      const reason =
        value === undefined ? `must be left out: ${whyNone(label, kind, place)}` : `must be ${quote(value)} or left out: it is computed`;
      return { field: formatPath(['labels', label]), reason };
    });
}

function whyNone(label: string, kind: Kind, place: Place): string {
  if (label === LABEL.mesh) return `a ${kind.type} is in no mesh`;
  if (label === LABEL.role) return 'only targetRef policies have one';
  return label === LABEL.namespace ? whyNoNamespace(kind, place) : 'global is no zone';
}
