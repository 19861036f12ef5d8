import { MeridianError } from '../../errors.ts';
import { encodeAssigned, encodeItem, type Item, type ItemReference } from '../../kds/item.ts';
import { findReferences, type Reference, referenceAt, renderReferences } from '../../naming/find-references.ts';
import { admit } from '../../policy/admit-draft.ts';
import { audienceAt } from '../../policy/policy-reach.ts';
import { relabel } from '../../policy/relabel-copy.ts';
import { ROLES, type Role } from '../../policy/policy-role.ts';
import { NOBODY } from '../../resource/audience.ts';
import { type Key, sameKey } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import { userLabels } from '../../resource/labels.ts';
import { identityProblems } from '../../resource/dns-names.ts';
import type { Draft, JsonObject, Place } from '../../resource/resource.ts';
import type { Transaction } from '../../resource/store/store.ts';
import { validateDraft } from '../../resource/documents/validate-draft.ts';
import { assign, meshExists, refuseTooLarge, resolveAll } from './put-own.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';

/**
 * Puts what a peer sent into the store, as a copy: checked again, renamed, relabelled, its references rendered for this
 * store. Returns the reason when the item can't be taken. Then nothing was written, except for assigned names, which
 * stay anyway. The row is written last. `references`: those in its spec, if the caller has looked for them; only
 * global needs them.
 *
 *   zone east sends     MeshTimeout (default, east, backend-ns, slow), to: MeshService backend
 *   global assigns      slow-x7c4…, resolves the reference to (default, east, backend-ns, backend),
 *                       and stores it with backend-w3r3…
 *   zone west stores    slow-x7c4… in its system namespace, to: backend-w3r3… there
 */
export function putCopy(tx: Transaction, plane: Plane, origin: Place, item: Item, references?: readonly Reference[]): string | undefined {
  const draft = draftOf(item);
  const unusable = whyUnusable(tx, item.key, draft);
  if (unusable !== undefined) return unusable;
  try {
    return isGlobal(plane.place) ? copyAtGlobal(tx, plane, origin, { item, draft, references }) : copyAtZone(tx, plane, item);
  } catch (thrown) {
    if (!isOfItem(thrown)) throw thrown;
    return thrown.message;
  }
}

/**
 * Whether the item, or our reading of it, is to blame. A fault that one zone's item triggers must not stop the others.
 * If the store can't work, no item is to blame.
 */
function isOfItem(thrown: unknown): thrown is Error {
  if (thrown instanceof MeridianError) return thrown.code !== 'internal' && thrown.code !== 'unavailable';
  return thrown instanceof TypeError || thrown instanceof RangeError;
}

/** What is wrong with an item at any control plane: an item that can't be read can't be enforced. */
function whyUnusable(tx: Transaction, key: Key, draft: Draft): string | undefined {
  if (!findKind(key.type)) return `this control plane does not know the kind ${key.type}: it needs a newer version`;
  const problems = [...identityProblems(draft), ...validateDraft(draft)];
  const [first] = problems;
  if (first) return `${first.field}: ${first.reason}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''}`;
  if (key.mesh !== '' && !meshExists(tx, key.mesh)) return `mesh ${key.mesh} does not exist here`;
  return undefined;
}

/**
 * An item as if its user had written it here. The computed labels are left out: they are worked out again, never
 * believed (docs/design/resources.md#labels).
 */
function draftOf({ key, labels, spec, status }: Item): Draft {
  const { type, mesh, name, namespace } = key;
  return { type, mesh, name, namespace: namespace || undefined, labels: userLabels(labels), spec, status };
}

/** An item, and what was found in it. */
interface ReadItem {
  readonly item: Item;
  readonly draft: Draft;
  readonly references: readonly Reference[] | undefined;
}

/** What came from a zone is admitted as that zone should have done it, then handed on by the rules of its role. */
function copyAtGlobal(tx: Transaction, plane: Plane, origin: Place, received: ReadItem): string | undefined {
  const { item, draft } = received;
  const { key, spec, status } = item;
  const references = received.references ?? findReferences(key.type, spec);
  const result = admit(draft, origin);
  if ('problems' in result) return result.problems.map(({ field, reason }) => `${field}: ${reason}`).join('; ');
  const { admitted } = result;
  if (!sameKey(admitted.key, key)) return `its namespace ${key.namespace || '(none)'} can't be in zone ${origin.zone}`;
  if (!findKind(key.type)?.sync.up) return `a ${key.type} does not go from a zone to global`;
  const { labels } = draft;
  const line = encodeItem({ key, labels, spec, status });
  refuseTooLarge(key, line, references.length);
  const resolved = resolveAll(tx, key, origin, references);
  const name = assign(tx, key);
  const { environment } = origin;
  write(tx, plane, { key, labels, spec, status, name, role: admitted.role, environment, references: resolved, line });
  tx.setReferences(
    key,
    resolved.map(({ target }) => target),
  );
  return undefined;
}

function copyAtZone(tx: Transaction, plane: Plane, item: Item): string | undefined {
  const { key, assigned } = item;
  if (!assigned) return 'global sent it without the name that it has here';
  if (key.zone === plane.place.zone) return 'it belongs to this zone: global can not change it';
  const role = assigned.role === undefined ? undefined : ROLES.find((known) => known === assigned.role);
  if (role !== assigned.role) return `this control plane does not know the role ${assigned.role}: it needs a newer version`;
  write(tx, plane, { ...item, name: assigned.name, role, environment: assigned.environment, references: assigned.references });
  return undefined;
}

interface Copy {
  readonly key: Key;
  readonly labels: Item['labels'];
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
  readonly name: string;
  readonly role: Role | undefined;
  readonly environment: Place['environment'] | undefined;
  readonly references: readonly ItemReference[];
  /** As its origin sends it, if the caller has encoded it. */
  readonly line?: string;
}

function write(tx: Transaction, plane: Plane, copy: Copy): void {
  const { key, spec, status, name, role, references } = copy;
  const { place } = plane;
  const kind = findKind(key.type);
  if (!kind) return;
  const labels = relabel(key, copy.labels, place, copy.environment, role);
  const now = plane.now();
  const namespace = kind.namespaced ? place.systemNamespace : '';
  const rendered = renderReferences(
    spec,
    references.map((reference) => ({ path: reference.path, ...calledHere(place, reference) })),
  );
  const audience = audienceAt(place, kind, key, labels, spec, role);
  const encoded = (line: string) => encodeAssigned(line, { name, role, environment: copy.environment, references });
  const wire = audience === NOBODY ? '' : encoded(copy.line ?? encodeItem({ key, labels: copy.labels, spec, status }));
  tx.put({ key, name, namespace, labels, spec: rendered, status, creationTime: now, modificationTime: now }, audience, wire);
}

function calledHere(place: Place, { target, name }: ItemReference): { name: string; namespace: string | undefined } {
  const { name: here, namespace } = referenceAt(place, target, name);
  return { name: here, namespace };
}

/** Removes an item that a peer had sent: from the mirror, and its copy with the references. */
export function dropCopy(tx: Transaction, peer: string, key: Key): void {
  tx.mirror.delete(peer, key);
  tx.delete(key);
}
