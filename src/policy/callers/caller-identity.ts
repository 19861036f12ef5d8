import type { Resource } from '../../resource/resource.ts';

const SERVICE_ACCOUNT = 'k8s.kuma.io/service-account';
/** What is the same in every reading of a path: no escapes, no ".." */
const SEGMENT = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** The trust domain of a mesh's proxies in a zone, as a prefix of their SPIFFE IDs. */
export function trustDomainOf(mesh: string, zone: string): string {
  return `spiffe://${mesh}.${zone}.mesh.local`;
}

/**
 * Whose SPIFFE ID it says it is. undefined: it is none that a control plane gave to a Dataplane.
 *
 *   spiffe://default.east.mesh.local/ns/shop/sa/web  ->  default, east
 *   spiffe://example.org/web                         ->  undefined
 */
export function homeOf(spiffeId: string): { readonly mesh: string; readonly zone: string } | undefined {
  const [, mesh, zone] = /^spiffe:\/\/([^./]+)\.([^./]+)\.mesh\.local(?:\/|$)/.exec(spiffeId) ?? [];
  return mesh === undefined || zone === undefined ? undefined : { mesh, zone };
}

/** What was written of resources, which never change; null: it can't be. */
const known = new WeakMap<object, string | null>();

/**
 * The one SPIFFE ID that the proxy of a Dataplane is known by, when it asks for its rules with a certificate and when
 * it calls others. Mesh, zone, namespace and name are those of the key, which no user can set; the trust domain is
 * Kuma's. With a service account it is the workload's, as Kuma's MeshIdentity writes it: then proxies of one account,
 * of one namespace, are one to us. undefined: it can't be written so.
 *
 *   default, zone east, backend-1 of shop              ->  spiffe://default.east.mesh.local/ns/shop/dataplane/backend-1
 *   and labelled k8s.kuma.io/service-account: backend  ->  spiffe://default.east.mesh.local/ns/shop/sa/backend
 *   default, zone plain, backend-1 (no namespaces)     ->  spiffe://default.plain.mesh.local/dataplane/backend-1
 */
export function spiffeIdOfDataplane(dataplane: Pick<Resource, 'key' | 'labels'>): string | undefined {
  const before = known.get(dataplane);
  if (before !== undefined) return before ?? undefined;
  const { mesh, zone } = dataplane.key;
  const path = pathOf(dataplane);
  const id = path.every((segment) => SEGMENT.test(segment)) ? `${trustDomainOf(mesh, zone)}/${path.join('/')}` : null;
  known.set(dataplane, id);
  return id ?? undefined;
}

function pathOf({ key, labels }: Pick<Resource, 'key' | 'labels'>): string[] {
  if (key.namespace === '') return ['dataplane', key.name];
  const account = labels[SERVICE_ACCOUNT];
  return ['ns', key.namespace, ...(account === undefined ? ['dataplane', key.name] : ['sa', account])];
}
