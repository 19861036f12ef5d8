import { hasFirstScan } from '../peers/first-scan-state.ts';
import type { Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { MeshReader, type MeshView } from '../mesh/mesh-view.ts';
import { owns, type Plane } from '../plane/plane.ts';
import { PermissionCache } from './permission-cache.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { CachedProxy } from './proxy-rules-cache.ts';

interface Mesh {
  readonly reader: MeshReader;
  view: MeshView | undefined;
  /** By REST name. */
  dataplanes: ReadonlyMap<string, Resource>;
  readonly permissions: PermissionCache;
  readonly served: Map<string, CachedProxy>;
}

/**
 * What the proxies of a zone are to enforce, as its store has it now (docs/design/sync.md#zones-alone).
 *
 *   a zone with a global, of which it has nothing yet  ->  every inbound denies, and takes no plain text
 *   a permission that was refused or can't be read     ->  what it selects is denied
 *   an inbound that can't be read                      ->  it is left out: nobody gets in
 */
export class Enforcement {
  private readonly plane: Plane;
  private readonly hasGlobal: boolean;

  readonly #meshes = new Map<string, Mesh>();

  constructor(plane: Plane, hasGlobal: boolean) {
    this.plane = plane;
    this.hasGlobal = hasGlobal;
  }

  /**
   * `name` as in the REST API. The same object as last time if nothing changed; undefined: this zone has no such
   * Dataplane.
   */
  rulesOf(mesh: string, name: string): ProxyRules | undefined {
    return this.rulesIn(mesh)(name);
  }

  /** The same for many proxies of a mesh: the store is asked once, now. */
  rulesIn(mesh: string): (name: string) => ProxyRules | undefined {
    const { view, dataplanes, permissions, served } = this.#mesh(mesh);
    const closed = this.hasGlobal && !hasFirstScan(this.plane.store);
    return (name) => {
      const dataplane = dataplanes.get(name);
      if (!dataplane) return undefined;
      const one = served.get(name) ?? new CachedProxy(permissions);
      served.set(name, one);
      return one.rules({ dataplane, view, closed });
    };
  }

  #mesh(mesh: string): Mesh & { view: MeshView } {
    const state = this.#meshes.get(mesh) ?? {
      reader: new MeshReader(this.plane, mesh),
      view: undefined,
      dataplanes: new Map(),
      permissions: new PermissionCache(),
      served: new Map(),
    };
    const view = state.reader.view();
    if (state.view?.dataplanes !== view.dataplanes) this.#renew(state, view.dataplanes);
    if (state.view?.permissions !== view.permissions) state.permissions.keep(view.permissions);
    state.view = view;
    if (view.dataplanes.length === 0) this.#meshes.delete(mesh);
    else this.#meshes.set(mesh, state);
    return { ...state, view };
  }

  #renew(state: Mesh, dataplanes: readonly Resource[]): void {
    const { place } = this.plane;
    const own = dataplanes.filter(({ key }) => owns(place, key));
    state.dataplanes = new Map(own.map((dataplane) => [restName(dataplane, place), dataplane]));
    for (const name of state.served.keys()) if (!state.dataplanes.has(name)) state.served.delete(name);
  }
}
