import type { Labels } from '../../resource/labels.ts';
import type { FromKind, TargetRef } from '../../resource/schema/reference-kinds.ts';
import { SERVICE_TAG } from './proxy-tags.ts';

/**
 * The URI SANs of the certificate that the control plane gives to a proxy with these tags
 * (docs/design/access.md#the-from-shape).
 */
export function sansOf(mesh: string, tags: Labels): string[] {
  return Object.entries(tags).map(([key, value]) => sanOf(mesh, key, value));
}

/**
 * The SANs that a client must have for a `from[].targetRef` to mean it, `mesh` being the item's or else its policy's.
 * Beside them it needs one of the mesh (see isOfMesh).
 *
 *   MeshServiceSubset web {version: v1}  ->  spiffe://mesh-1/web, kuma://version/v1
 */
export function requiredSans(ref: TargetRef<FromKind>, mesh: string): string[] {
  const sans = sansOf(mesh, ref.tags ?? {});
  return namesService(ref.kind) ? [sanOf(mesh, SERVICE_TAG, ref.name ?? ''), ...sans] : sans;
}

/** Whether references of a kind mean the clients of the service that they name. */
export function namesService(kind: FromKind): boolean {
  switch (kind) {
    case 'MeshService':
    case 'MeshServiceSubset':
      return true;
    case 'Mesh':
    case 'MeshSubset':
      return false;
  }
}

/** Whether a `from[].targetRef` of a policy of `policyMesh` means the client with these URI SANs. */
export function isClient(ref: TargetRef<FromKind>, policyMesh: string, sans: readonly string[]): boolean {
  const mesh = ref.mesh ?? policyMesh;
  return sans.some((san) => isOfMesh(san, mesh)) && requiredSans(ref, mesh).every((san) => sans.includes(san));
}

/** Whether it means every client of its mesh: the kind Mesh, and what says no more than that. */
export function isEverybody(ref: TargetRef<FromKind>): boolean {
  switch (ref.kind) {
    case 'Mesh':
      return true;
    case 'MeshSubset':
      return Object.keys(ref.tags ?? {}).length === 0;
    case 'MeshService':
    case 'MeshServiceSubset':
      return false;
  }
}

function isOfMesh(san: string, mesh: string): boolean {
  return san.startsWith(`spiffe://${mesh}/`);
}

/** A service is always part of the SPIFFE ID, any other tag a `kuma://` URI (docs/design/access.md#the-from-shape). */
function sanOf(mesh: string, key: string, value: string): string {
  return key === SERVICE_TAG ? `spiffe://${mesh}/${value}` : `kuma://${key}/${value}`;
}
