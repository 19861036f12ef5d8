import type { Kind } from '../../../src/resource/kinds.ts';

/** The REST collection of a kind in a mesh; '' for all meshes. Kinds that are in no mesh have one collection. */
export function collectionPath({ scope, path }: Kind, mesh: string): string {
  return scope === 'Mesh' && mesh !== '' ? `/meshes/${encodeURIComponent(mesh)}/${path}` : `/${path}`;
}

/** One resource, by its REST name. */
export function resourcePath(kind: Kind, mesh: string, name: string): string {
  return `${collectionPath(kind, mesh)}/${encodeURIComponent(name)}`;
}

/** `MeshTimeout default/slow`, `Mesh default`: how lines of output name a resource. */
export function resourceTitle(type: string, mesh: string, name: string): string {
  return mesh === '' ? `${type} ${name}` : `${type} ${mesh}/${name}`;
}
