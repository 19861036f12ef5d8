import { isClosed } from '../peers/first-scan-state.ts';
import type { Resource } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { MeshReader, type MeshView } from '../mesh/mesh-view.ts';
import { owns, type Plane } from '../plane/plane.ts';
import type { ProxyRules } from './proxy-rules.ts';
import { CachedProxy, MeshCaches } from './proxy-rules-cache.ts';

interface Mesh {
  readonly reader: MeshReader;
  view: MeshView | undefined;
  /** By REST name. */
  dataplanes: ReadonlyMap<string, Resource>;
  readonly shared: MeshCaches;
  readonly served: Map<string, CachedProxy>;
}

/**
 * What the proxies of a zone are to enforce, as its store has it now (docs/design/sync.md#zones-alone).
 *
 *   a zone with a global, of which it has nothing yet  ->  every inbound denies, and takes no plain text
 *   a permission that was refused or can't be read     ->  what it selects is denied
 *   an access policy of which that is so               ->  every service that it has a say in is denied
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
    const { view, dataplanes, shared, served } = this.#mesh(mesh);
    const dataplane = dataplanes.get(name);
    if (!dataplane) return undefined;
    const one = served.get(name) ?? new CachedProxy(shared);
    served.set(name, one);
    return one.rules({ dataplane, view, closed: isClosed(this.plane, this.hasGlobal) });
  }

  /**
   * Reads in steps what changed in a mesh, so that `rulesOf` has little left to read. What that says is the same
   * without it. Throws what the store throws.
   */
  *prepare(mesh: string): Parts<void> {
    const state = this.#meshes.get(mesh) ?? newMesh(this.plane, mesh);
    this.#meshes.set(mesh, state);
    yield* state.reader.prepare();
    yield* state.shared.callers.prepare(state.reader.view());
  }

  #mesh(mesh: string): Mesh & { view: MeshView } {
    const state = this.#meshes.get(mesh) ?? newMesh(this.plane, mesh);
    const view = state.reader.view();
    if (state.view?.dataplanes !== view.dataplanes) this.#renew(state, view.dataplanes);
    if (state.view?.permissions !== view.permissions) state.shared.permissions.keep(view.permissions);
    state.shared.callers.update(view);
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

function newMesh(plane: Plane, mesh: string): Mesh {
  return {
    reader: new MeshReader(plane, mesh),
    view: undefined,
    dataplanes: new Map(),
    shared: new MeshCaches(mesh, plane.place.zone),
    served: new Map(),
  };
}
