import { indexMesh, type MeshIndex } from '../policy/match/mesh.js';
import { type Policy, readPolicies } from '../policy/match/policy.js';
import { MESH_TLS } from '../policy/tls.js';
import { type Key, keyId } from '../resource/key.js';
import { findKind, KINDS } from '../resource/kinds.js';
import type { Resource } from '../resource/resource.js';
import type { Refusal } from '../resource/store.js';
import type { Held, Plane } from './plane.js';
import { asUnreadable, refusedPermissions, refusedTls } from './refused.js';

/** What the policy engine needs of one mesh, as this control plane holds it. */
export interface MeshView {
  readonly mesh: string;
  readonly dataplanes: readonly Resource[];
  /** In order, the most specific last; refused permissions are among them, as such that can't be read. */
  readonly policies: readonly Policy[];
  readonly permissions: readonly Policy[];
  /** What says whether plain text is taken (src/policy/tls.ts). `refused`: some of it was refused here. */
  readonly tls: { readonly policies: readonly Policy[]; readonly mesh: Resource | undefined; readonly refused: boolean };
  readonly index: MeshIndex;
  /** One of the policies, with a refused one as it can be told. */
  find(key: Key): Resource | undefined;
  /** Why a policy was refused here, if nothing accepted stands in for it. */
  refusal(key: Key): string | undefined;
}

/** How many meshes are kept ready. */
const KEPT = 4;

/** Where targetRefs lead to, beside the policies (routes are policies). */
const TARGETS = ['Dataplane', 'MeshExternalService', 'MeshGateway', 'MeshMultiZoneService', 'MeshService'];

/** Whether resources of a kind may change what proxies decide. */
export function mayDecide(type: string): boolean {
  return type === 'MeshTrafficPermission' || type === 'Mesh' || type === MESH_TLS || type.endsWith('Route') || TARGETS.includes(type);
}

/** Gives the view of a mesh, made again only when this store has changed: a request costs no more than what it asks for. */
export function createMeshViews(plane: Plane): (mesh: string) => MeshView {
  const kept = new Map<string, { readonly version: string; readonly view: MeshView }>();
  return (mesh) => {
    const refusals = refusedPermissions(plane, mesh);
    const tlsRefused = refusedTls(plane, mesh);
    const version = versionOf(plane, refusals, tlsRefused);
    const known = kept.get(mesh);
    const view = known?.version === version ? known.view : readMesh(plane, mesh, refusals, tlsRefused);
    // What was asked for last is last, and what comes first is forgotten.
    kept.delete(mesh);
    kept.set(mesh, { version, view });
    for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
    return view;
  };
}

/** A refusal alone makes no revision. */
function versionOf({ store }: Plane, refusals: readonly Refusal[], tlsRefused: boolean): string {
  const { store: id, term, revision } = store.head();
  return JSON.stringify([id, term, revision, tlsRefused, refusals.map(({ key, hash, reason }) => [keyId(key), hash, reason])]);
}

/** The view of a mesh, read anew: of a plane, or of what a transaction has written so far. */
export function readMeshView(held: Held, mesh: string): MeshView {
  return readMesh(held, mesh, refusedPermissions(held, mesh), refusedTls(held, mesh));
}

function readMesh(plane: Held, mesh: string, refusals: readonly Refusal[], tlsRefused: boolean): MeshView {
  const read = (type: string) => plane.store.list({ type, mesh }, 0, Number.MAX_SAFE_INTEGER).items;
  const stored = KINDS.filter(({ type, policy }) => policy !== undefined || TARGETS.includes(type)).flatMap(({ type }) => read(type));
  const unreadable = refusals.map((refusal) => asUnreadable(plane, refusal));
  const policies = readPolicies([...stored, ...unreadable]);
  const index = indexMesh(stored, (type, name) => holderOf(plane, mesh, type, name));
  const byKey = new Map(policies.map(({ resource }) => [keyId(resource.key), resource]));
  const reasons = new Map(refusals.map(({ key, reason }) => [keyId(key), reason]));
  return {
    mesh,
    dataplanes: index.ofType('Dataplane'),
    policies,
    permissions: policies.filter(({ resource }) => resource.key.type === 'MeshTrafficPermission'),
    tls: {
      policies: policies.filter(({ resource }) => resource.key.type === MESH_TLS),
      mesh: plane.store.get({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: mesh })?.resource,
      refused: tlsRefused,
    },
    index,
    find: (key) => byKey.get(keyId(key)),
    refusal: (key) => reasons.get(keyId(key)),
  };
}

/** Global remembers whose name it is; a zone sees it on the copies that it has. */
function holderOf({ place, store }: Held, mesh: string, type: string, name: string): Key | undefined {
  const held = store.nameHolder(type, name);
  if (held) return held;
  const key = store.byName(type, mesh, findKind(type)?.namespaced ? place.systemNamespace : '', name)?.resource.key;
  return key && key.zone !== place.zone ? key : undefined;
}
