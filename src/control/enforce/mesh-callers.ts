import type { Attributes } from '../../policy/access/attributes.ts';
import { destinationsOf } from '../../policy/callers/called-services.ts';
import { CallerMatrix, type CallersOfZone } from '../../policy/callers/caller-matrix.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';
import type { Resource } from '../../resource/resource.ts';
import { atOnce, type Parts } from '../../resource/store/parts.ts';
import type { MeshAccess } from '../mesh/mesh-access.ts';
import type { MeshView } from '../mesh/mesh-view.ts';

/** What a mesh without access policies has: another object than any that has some. */
const NO_POLICIES = {};

/**
 * What access policies decide at the inbounds of a zone's proxies, kept in step with the mesh: the same as `callersAt`,
 * for the compiler, about all callers at once.
 */
export class MeshCallers {
  readonly #zone: string;
  #matrix: CallerMatrix | undefined;
  #site: Attributes | undefined;
  #access: MeshAccess | undefined;
  #dataplanes: readonly Resource[] | undefined;

  constructor(zone: string) {
    this.#zone = zone;
  }

  /** Another object whenever something may be decided in another way. */
  get version(): object {
    return this.#matrix?.version ?? NO_POLICIES;
  }

  /** Makes anew in steps what `update` would make at once, where much is another. */
  *prepare(view: MeshView): Parts<void> {
    if (this.#isCurrent(view)) return;
    yield* view.access.prepare();
    const given = this.#given(view);
    if (given.policies.length === 0 || this.#matrix?.isNear(given)) return;
    const built = yield* CallerMatrix.build(given, this.#matrix);
    this.#take(view, given, built);
  }

  /** What was written since the last time is taken over. */
  update(view: MeshView): void {
    if (this.#isCurrent(view)) return;
    const given = this.#given(view);
    if (given.policies.length === 0) this.#take(view, given, undefined);
    else if (this.#matrix?.isNear(given)) {
      this.#matrix.update(given);
      this.#take(view, given, this.#matrix);
    } else this.#take(view, given, atOnce(CallerMatrix.build(given, this.#matrix)));
  }

  /** undefined: no access policy selects the inbound. The same object as last time where nothing of it changed. */
  at(proxy: Proxy, inbound: Inbound, { index }: MeshView): CallerMap | undefined {
    return this.#matrix?.at(destinationsOf(proxy, inbound, index, this.#site));
  }

  #take({ access, dataplanes }: MeshView, { site }: CallersOfZone, matrix: CallerMatrix | undefined): void {
    [this.#access, this.#dataplanes, this.#site, this.#matrix] = [access, dataplanes, site, matrix];
  }

  #isCurrent({ access, dataplanes }: MeshView): boolean {
    return this.#access === access && this.#dataplanes === dataplanes;
  }

  #given({ access, dataplanes }: MeshView): CallersOfZone {
    return {
      policies: access.policies(this.#zone),
      dataplanes: dataplanes.filter(({ key }) => key.zone === this.#zone),
      site: access.site(this.#zone),
    };
  }
}
