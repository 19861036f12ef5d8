import { readProxy } from '../../policy/match/proxy.js';
import { matchInbound } from '../../policy/match/select.js';
import { STRICT } from '../../policy/tls.js';
import { keyId } from '../../resource/key.js';
import type { Resource } from '../../resource/resource.js';
import { restName } from '../../resource/rest-name.js';
import { createMeshViews, type MeshView } from '../mesh-view.js';
import { plaintextAt } from '../plaintext.js';
import { owns, type Plane } from '../plane.js';
import { hasFirstScan } from '../readiness.js';
import { Permissions } from './permissions.js';
import { placesOf } from './place.js';
import { decided, ProxyCompiler } from './proxy.js';
import type { ProxyRules } from './rules.js';

interface Mesh {
  view: MeshView | undefined;
  /** By REST name. */
  dataplanes: ReadonlyMap<string, Resource>;
  readonly permissions: Permissions;
  readonly compilers: Map<string, ProxyCompiler>;
}

/**
 * What the proxies of a zone are to enforce, as its store has it now (design, section 5).
 *
 *   a zone with a global, of which it has nothing yet  ->  every inbound denies, and takes no plain text: denies may be missing
 *   a permission that was refused or can't be read     ->  what it selects is denied
 *   an inbound that can't be read                      ->  it is left out: nobody gets in
 */
export class Enforcement {
  readonly #views: (mesh: string) => MeshView;
  readonly #meshes = new Map<string, Mesh>();

  constructor(
    private readonly plane: Plane,
    private readonly hasGlobal: boolean,
  ) {
    this.#views = createMeshViews(plane);
  }

  /** `name` as in the REST API. The same object as last time if nothing changed; undefined: this zone has no such Dataplane. */
  rulesOf(mesh: string, name: string): ProxyRules | undefined {
    const state = this.#mesh(mesh);
    const dataplane = state.dataplanes.get(name);
    if (!dataplane || !state.view) return undefined;
    const { view } = state;
    const { permissions: all, index } = view;
    const proxy = readProxy(dataplane, index);
    const closed = this.hasGlobal && !hasFirstScan(this.plane.store);
    const compiler = state.compilers.get(name) ?? new ProxyCompiler();
    state.compilers.set(name, compiler);
    return compiler.compile(
      decided(placesOf(proxy), (inbound) => ({
        permissions: closed ? [] : state.permissions.read(matchInbound(all, proxy, inbound, index)),
        plaintext: closed ? STRICT : plaintextAt(view, proxy, inbound),
      })),
    );
  }

  #mesh(mesh: string): Mesh {
    const state = this.#meshes.get(mesh) ?? {
      view: undefined,
      dataplanes: new Map(),
      permissions: new Permissions(),
      compilers: new Map(),
    };
    const view = this.#views(mesh);
    if (state.view !== view) this.#renew(state, view);
    if (view.dataplanes.length === 0) this.#meshes.delete(mesh);
    else this.#meshes.set(mesh, state);
    return state;
  }

  #renew(state: Mesh, view: MeshView): void {
    const { place } = this.plane;
    const own = view.dataplanes.filter(({ key }) => owns(place, key));
    state.view = view;
    state.dataplanes = new Map(own.map((dataplane) => [restName(dataplane, place), dataplane]));
    state.permissions.keep(new Set(view.permissions.map(({ resource }) => keyId(resource.key))));
    for (const name of state.compilers.keys()) if (!state.dataplanes.has(name)) state.compilers.delete(name);
  }
}
