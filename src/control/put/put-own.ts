import { MeridianError } from '../../errors.ts';
import { encodeAssigned, encodeItem, type ItemReference } from '../../kds/item.ts';
import { looksHashed } from '../../naming/hash-name.ts';
import { findReferences, isNobodys, type Reference, resolveReference } from '../../naming/find-references.ts';
import { nameFor } from '../../naming/assign-name.ts';
import type { AdmittedDraft } from '../../policy/admit-draft.ts';
import { audienceAt } from '../../policy/policy-reach.ts';
import { NOBODY } from '../../resource/audience.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { findKind, kindOf } from '../../resource/kinds.ts';
import { LABEL, userLabels } from '../../resource/labels.ts';
import { MAX_RESOURCE_BYTES } from '../../resource/resource-limits.ts';
import { GLOBAL, type JsonObject, type Place, type Resource } from '../../resource/resource.ts';
import type { Reader, Transaction } from '../../resource/store/store.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';

/** A reference may grow when it is rendered: a 253-character name and a 63-character namespace, with their quotes. */
const REFERENCE_GROWTH = 2 * 253 + 64;

/** What a user wrote, after admission. */
export interface OwnBody {
  readonly admitted: AdmittedDraft;
  readonly spec: JsonObject;
  readonly status?: JsonObject | undefined;
}

/** Writes a resource that this control plane owns, with the item that its peers get. Throws `too_large`. */
export function putOwn(tx: Transaction, plane: Plane, { admitted, spec, status }: OwnBody): 'created' | 'changed' | 'unchanged' {
  const { key, name, namespace, labels, role } = admitted;
  const now = plane.now();
  const resource: Resource = { key, name, namespace, labels, spec, status, creationTime: now, modificationTime: now };
  const item = encodeItem({ key, labels: userLabels(labels), spec, status });
  const found = findReferences(key.type, spec);
  refuseTooLarge(key, item, found.length);
  // Those of a zone's policies are resolved when global takes them.
  const references = isGlobal(plane.place) ? resolveAll(tx, key, plane.place, found) : [];
  const wire = isGlobal(plane.place) ? encodeAssigned(item, { name: assign(tx, key), role, references }) : item;
  const audience = audienceAt(plane.place, kindOf(key.type), key, labels, spec, role);
  const outcome = tx.put(resource, audience, audience === NOBODY ? '' : wire);
  const mayRefer = kindOf(key.type).policy?.to === true && (outcome !== 'created' || references.length > 0);
  if (isGlobal(plane.place) && mayRefer)
    tx.setReferences(
      key,
      references.map(({ target }) => target),
    );
  return outcome;
}

/**
 * Every reference that was found in a spec that `origin` wrote, with its target's key and the name that copies of the
 * target have. That name is given out here: else another resource could take it before the target comes, and be meant
 * by everybody's copy of this policy.
 */
export function resolveAll(tx: Transaction, policy: Key, origin: Place, found: readonly Reference[]): ItemReference[] {
  const holder = (type: string, name: string) => tx.nameHolder(type, name);
  const references = found.filter((reference) => !namesTag(reference, origin));
  return references.map((reference) => {
    const target = resolveReference(reference, policy, origin, holder);
    return { path: reference.path, target, name: isNobodys(target) ? target.name : assign(tx, target) };
  });
}

/**
 * Global has no MeshService of its own: by a plain name it can only mean the value of `kuma.io/service`, which is the
 * same everywhere.
 */
function namesTag({ kind, name }: Reference, origin: Place): boolean {
  return isGlobal(origin) && findKind(kind)?.writtenBy.global === false && !looksHashed(name);
}

/** The name of the copies of `key`, remembered for good from the first time on. */
export function assign(tx: Transaction, key: Key): string {
  const known = tx.assignedName(key);
  if (known !== undefined) return known;
  const name = nameFor(key, { assigned: () => undefined, holder: (type, n) => tx.nameHolder(type, n) });
  tx.assignName(key, name);
  return name;
}

/**
 * Refuses an item that would not fit into a message once its references are rendered: it would hold up everything after
 * it, for every zone. The size is that of the origin's item with the longest possible references, so that origin and
 * global agree whatever the references resolve to. `item`: its line, as its origin sends it; `references`: how many the
 * spec has. Throws `too_large`.
 */
export function refuseTooLarge(key: Key, item: string, references: number): void {
  const bytes = Buffer.byteLength(item) + references * REFERENCE_GROWTH;
  if (bytes <= MAX_RESOURCE_BYTES) return;
  throw new MeridianError(
    'too_large',
    `${key.type} ${key.name} takes ${bytes} bytes; at most ${MAX_RESOURCE_BYTES} can be carried to other zones`,
    {
      problems: [{ field: 'spec', reason: `is too large: ${bytes} bytes, the limit is ${MAX_RESOURCE_BYTES}` }],
      hint: 'split it into several resources',
    },
  );
}

/** Refuses a resource of a mesh that is not there: its rules could not be enforced. */
export function requireMesh(reader: Reader, mesh: string): void {
  if (mesh !== '' && !meshExists(reader, mesh)) {
    throw new MeridianError('not_found', `mesh ${mesh} does not exist`, { hint: 'create the Mesh at global first' });
  }
}

export function meshExists(reader: Reader, mesh: string): boolean {
  return reader.has({ type: 'Mesh', mesh: '', zone: GLOBAL.zone, namespace: '', name: mesh });
}

/**
 * A resource of somebody else can't be written here: only its origin does
 * (docs/design/trust.md#only-the-origin-writes).
 */
export function refuseForeign(place: Place, key: Key, labels: Resource['labels']): void {
  if (key.zone === place.zone) return;
  const origin = key.zone === '' ? 'global' : `zone ${key.zone}`;
  const reason = `it belongs to ${origin}: apply it there`;
  throw new MeridianError('read_only', `${formatKri(key) || key.name} can't be changed here: ${reason}`, {
    problems: [{ field: `labels["${LABEL.origin}"]`, reason: `the resource has origin '${labels[LABEL.origin] ?? ''}' here: ${reason}` }],
  });
}
