import { get } from '../api.ts';

/** A kind, as `GET /_resources` describes it. */
export interface ServedKind {
  readonly name: string;
  readonly path: string;
  readonly scope: 'Mesh' | 'Global';
  readonly policy?: object;
  /** Nobody writes it at this control plane. */
  readonly readOnly: boolean;
}

/** All of them; empty until they are there. They never change while a control plane runs. */
let kinds: readonly ServedKind[] = [];

/** Loads them once. */
export async function loadKinds(): Promise<readonly ServedKind[]> {
  if (kinds.length > 0) return kinds;
  const { resources, ownResources } = await get<{ resources: readonly ServedKind[]; ownResources: readonly ServedKind[] }>('/_resources');
  kinds = [...resources, ...ownResources].sort((a, b) => (a.name < b.name ? -1 : 1));
  return kinds;
}

/** The kind with this path in the API. Throws: there is none. */
export async function kindAt(path: string): Promise<ServedKind> {
  return known(await loadKinds(), path, (kind) => kind.path === path);
}

/** The kind of this name. Throws: there is none. */
export async function kindNamed(type: string): Promise<ServedKind> {
  return known(await loadKinds(), type, (kind) => kind.name === type);
}

function known(all: readonly ServedKind[], wanted: string, is: (kind: ServedKind) => boolean): ServedKind {
  const found = all.find(is);
  if (!found) throw new Error(`there is no kind ${wanted}`);
  return found;
}

/** Where the API has a resource. */
export function urlOf({ scope, path }: ServedKind, mesh: string, name: string): string {
  const own = `${path}/${encodeURIComponent(name)}`;
  return scope === 'Mesh' ? `/meshes/${encodeURIComponent(mesh)}/${own}` : `/${own}`;
}
