import { compareKeys, type Key } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { accessSchema } from '../../resource/schema/access-schema.ts';
import { check } from '../../resource/schema/check-schema.ts';
import { EVERYBODY, NOBODY, readSelection, type Selection, unknownKeys } from './attribute-selector.ts';

/** The control plane and mesh that decide. */
export interface DecidingPlane {
  readonly mesh: string;
  readonly zone: string;
}

/** An AccessPolicy or PrivilegedAccessPolicy, read once for all questions. */
export interface AccessPolicy {
  readonly key: Key;
  readonly privileged: boolean;
  readonly action: 'allow' | 'deny';
  /** `kuma.io/effect: shadow`: matched and shown, never enforced. */
  readonly shadow: boolean;
  readonly from: Selection;
  readonly to: Selection;
  /** The services that it says anything of, or may: who reaches one of them is asked of access policies. */
  readonly selecting: Selection;
  /** The keys that it asks for and that no set can have, each with the side: `from: "client.clusterlink.net/nmae"`. */
  readonly unknown: readonly string[];
}

/** The kinds that are asked. */
export const ACCESS_TYPES: readonly string[] = ['AccessPolicy', 'PrivilegedAccessPolicy'];

/**
 * The access policies of a mesh that are in force in a zone: its own and global's, in the order in which they decide
 * (docs/design/attributes.md#deciding): privileged deny, privileged allow, deny, allow; among equals by KRI. A policy
 * that can't be read denies all, unless it says that it allows.
 */
export function readAccessPolicies(resources: Iterable<Resource>, at: DecidingPlane): AccessPolicy[] {
  const mine = [...resources].filter(({ key }) => ACCESS_TYPES.includes(key.type) && isInForce(key, at));
  return mine.map(readAccessPolicy).sort((a, b) => tier(a) - tier(b) || compareKeys(a.key, b.key));
}

/**
 * Whether a policy is in force in a zone at all: it stays in its mesh, and a zone's in its zone (they sync like
 * consumer policies).
 */
export function isInForce(key: Key, { mesh, zone }: DecidingPlane): boolean {
  return key.mesh === mesh && (key.zone === '' || key.zone === zone);
}

/**
 * Whether a policy has a say in a namespace: a namespaced one in its own alone. One without a namespace is global's,
 * which has none, or a universal zone's: it is for all.
 */
export function concerns(key: Key, namespace: string): boolean {
  return key.namespace === '' || key.namespace === namespace;
}

/** What was read of resources, which never change. */
const read = new WeakMap<Resource, AccessPolicy>();

/** One policy, read once: a resource never changes. */
export function readAccessPolicy(resource: Resource): AccessPolicy {
  const known = read.get(resource) ?? readPolicy(resource);
  read.set(resource, known);
  return known;
}

function readPolicy({ key, labels, spec }: Resource): AccessPolicy {
  const { data } = check(accessSchema, spec, ['spec']);
  const common = { key, privileged: key.type === 'PrivilegedAccessPolicy', shadow: labels[LABEL.effect] === 'shadow' };
  if (!data) {
    const action = spec.action === 'allow' ? 'allow' : 'deny';
    const whom = action === 'allow' ? NOBODY : EVERYBODY;
    return { ...common, action, from: whom, to: whom, selecting: EVERYBODY, unknown: [] };
  }
  const { action, from, to } = data;
  const tell = (field: string, keys: readonly string[]) => keys.map((name) => `${field}: ${JSON.stringify(name)}`);
  return {
    ...common,
    action,
    from: readSelection('source', action, from),
    to: readSelection('destination', action, to),
    selecting: readSelection('destination', 'deny', to),
    unknown: [...tell('from', unknownKeys('source', from)), ...tell('to', unknownKeys('destination', to))],
  };
}

function tier({ privileged, action }: AccessPolicy): number {
  return (privileged ? 0 : 2) + (action === 'deny' ? 0 : 1);
}
