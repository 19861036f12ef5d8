import { hashedName, looksHashed } from '../../naming/hash-name.ts';
import { type Key, keyId, sameKey } from '../../resource/key.ts';
import { kindOf } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { TargetRef } from '../../resource/schema/reference-kinds.ts';
import type { Policy } from './policy.ts';
import { includesAll, labelsOf } from './proxy-tags.ts';

/** Whose name a copy has, of those that were assigned one (src/resource/store/store.ts, `nameHolder`). */
export type Holder = (type: string, name: string) => Key | undefined;

/** What was refused here, so that nothing of it is in force: its spec is not known. */
export interface Lost {
  /** Without a spec. */
  readonly resource: Resource;
  /** Whether its labels could be read. */
  readonly labelled: boolean;
}

/** What the targetRefs of one mesh may lead to: its services, gateways and routes. */
export interface MeshIndex {
  ofType(type: string): readonly Resource[];
  find(key: Key): Resource | undefined;
  /** By what it is called in this store. */
  named(type: string, namespace: string, name: string): Resource | undefined;
  readonly holder: Holder;
  lost(type: string): readonly Lost[];
}

/** Indexes resources of one mesh; `holder` knows the names of copies, without it they are computed. */
export function indexMesh(resources: Iterable<Resource>, holder: Holder = () => undefined, lost: readonly Lost[] = []): MeshIndex {
  const byType = new Map<string, Resource[]>();
  const byKey = new Map<string, Resource>();
  const byName = new Map<string, Resource>();
  for (const resource of resources) {
    const { key, namespace, name } = resource;
    const sameType = byType.get(key.type);
    if (sameType) sameType.push(resource);
    else byType.set(key.type, [resource]);
    byKey.set(keyId(key), resource);
    byName.set(keyId({ ...key, zone: '', namespace, name, mesh: '' }), resource);
  }
  return {
    ofType: (type) => byType.get(type) ?? [],
    find: (key) => byKey.get(keyId(key)),
    named: (type, namespace, name) => byName.get(keyId({ type, mesh: '', zone: '', namespace, name })),
    holder,
    lost: (type) => lost.filter(({ resource }) => resource.key.type === type),
  };
}

/**
 * Whether a top-level targetRef means the resource with this key. A name means what has it at the policy's origin (zone
 * and namespace); where names are global it may be that of a copy. Labels mean all that have them.
 *
 *   policy of east, namespace `ns`: `{name: backend-1}`  means  (east, ns, backend-1), and no other `backend-1`
 *   policy of global: `{name: backend-1-<hash>}`         means  what that is the copy of
 */
export function means(ref: TargetRef, policy: Policy, resource: Resource, { holder }: Pick<MeshIndex, 'holder'>): boolean {
  const { key } = resource;
  if (key.mesh !== policy.resource.key.mesh) return false;
  if (ref.labels) return includesAll(labelsOf(resource), ref.labels);
  if (ref.name === undefined) return false;
  const { zone, namespace: own } = policy.resource.key;
  const namespace = kindOf(key.type).namespaced ? (ref.namespace ?? own) : '';
  if (sameKey(key, { type: key.type, mesh: key.mesh, zone, namespace, name: ref.name })) return true;
  const global = namespace === '' || (policy.role === 'system' && namespace === own);
  return global && looksHashed(ref.name) && isCopyOf(ref.name, key, holder(key.type, ref.name));
}

function isCopyOf(name: string, key: Key, held: Key | undefined): boolean {
  return held ? sameKey(held, key) : kindOf(key.type).hashed && hashedName(key) === name;
}
