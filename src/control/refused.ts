import { decodeLine } from '../kds/item.js';
import { isCustom, type Role, ROLES } from '../policy/role.js';
import { MESH_TLS } from '../policy/tls.js';
import { GLOBAL_PEER } from '../resource/audience.js';
import { LABEL } from '../resource/labels.js';
import type { Resource } from '../resource/resource.js';
import type { Reader, Refusal } from '../resource/store.js';
import { peersOf, placeOf } from './peers.js';
import { type Held, isGlobal } from './plane.js';

const PERMISSION = 'MeshTrafficPermission';

/** A list that can't be read, for the engine: whatever the item itself says, it was refused. */
const UNREADABLE = 'refused';

/** The refused MeshTrafficPermissions of a mesh that nothing accepted stands in for: what each selects is denied (design, section 4). */
export function refusedPermissions({ place, store }: Held, mesh: string): readonly Refusal[] {
  const peers = isGlobal(place) ? peersOf(store) : [GLOBAL_PEER];
  return peers.flatMap((peer) => store.mirror.refusals(peer).filter(({ key, inForce }) => inForce === 'deny' && denies(key, mesh)));
}

/** Whether something that was refused here might say that plain text is not taken: what stands in for it may be older. */
export function refusedTls({ place, store }: Held, mesh: string): boolean {
  const peers = isGlobal(place) ? peersOf(store) : [GLOBAL_PEER];
  return peers.some((peer) => store.mirror.refusals(peer).some(({ key }) => isTlsOf(key, mesh)));
}

function isTlsOf({ type, mesh, name }: Refusal['key'], wanted: string): boolean {
  return type === 'Mesh' ? name === wanted : type === MESH_TLS && mesh === wanted;
}

function denies({ type, mesh }: Refusal['key'], wanted: string): boolean {
  return type === PERMISSION && mesh === wanted;
}

/**
 * A refused permission as a policy that the engine can't read, and which therefore denies what it selects (src/policy/decide). A targetRef that
 * can't be read selects everything that such a policy may touch: its mesh, or a tenant's namespace.
 *
 *   refused, targetRef: Dataplane {labels: {app: web}}, rules: [...]  ->  the same targetRef, lists that can't be read
 */
export function asUnreadable({ place, store }: Held, refusal: Refusal): Resource {
  const { key, since } = refusal;
  const item = decodeLine(store.mirror.get(isGlobal(place) ? key.zone : GLOBAL_PEER, key)?.wire ?? '')?.item;
  const effect = item?.labels[LABEL.effect];
  const role = isGlobal(place) ? roleAtGlobal(store, refusal) : roleAtZone(item?.assigned?.role);
  return {
    key,
    name: item?.assigned?.name ?? key.name,
    namespace: place.systemNamespace,
    labels: { [LABEL.role]: role, [LABEL.displayName]: key.name, ...(effect === undefined ? {} : { [LABEL.effect]: effect }) },
    spec: { targetRef: item ? item.spec.targetRef : UNREADABLE, default: UNREADABLE },
    creationTime: since,
    modificationTime: since,
  };
}

/** A tenant's reaches its own namespace, the operators' all of their zone. */
function roleAtGlobal(store: Reader, { key }: Refusal): Role {
  const system = placeOf(store, key.zone)?.systemNamespace;
  return isCustom(key.namespace, system ?? '') ? 'workload-owner' : 'system';
}

/** Global sent it here, so that it is for here, whatever role it has that can't be read. */
function roleAtZone(assigned: string | undefined): Role {
  return ROLES.find((role) => role === assigned) ?? 'producer';
}
