import { keyId, type Key } from '../../resource/key.ts';
import type { Labels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MeshIndex } from './mesh-index.ts';
import { readProxy } from './read-proxy.ts';
import { labelsOf } from './proxy-tags.ts';

/** How many are looked at for one question. */
const LOOKED_AT = 1000;

/**
 * The resources of one kind by what they carry: labels, and of Dataplanes the tags of their inbounds too. A question
 * looks at those alone that have the rarest of what is asked for, so that it costs the same however many there are.
 */
export class LabelIndex {
  private readonly mesh: MeshIndex;
  readonly #byKey = new Map<string, Resource>();
  readonly #byTerm = new Map<string, Set<Resource>>();

  /** `mesh`: for the listeners of gateways. */
  constructor(resources: readonly Resource[], mesh: MeshIndex) {
    this.mesh = mesh;
    for (const resource of resources) this.put(resource);
  }

  put(resource: Resource): void {
    this.delete(resource.key);
    this.#byKey.set(keyId(resource.key), resource);
    for (const term of this.#termsOf(resource)) {
      const having = this.#byTerm.get(term);
      if (having) having.add(resource);
      else this.#byTerm.set(term, new Set([resource]));
    }
  }

  delete(key: Key): void {
    const resource = this.#byKey.get(keyId(key));
    if (!resource) return;
    this.#byKey.delete(keyId(key));
    for (const term of this.#termsOf(resource)) {
      const having = this.#byTerm.get(term);
      having?.delete(resource);
      if (having?.size === 0) this.#byTerm.delete(term);
    }
  }

  /**
   * Whether one that has these labels, and on its inbounds these tags, is as asked; true, too, where that would take
   * too long to tell.
   */
  some(wanted: { readonly labels?: Labels; readonly tags?: Labels }, isMeant: (resource: Resource) => boolean): boolean {
    const terms = [...termsIn('label', wanted.labels ?? {}), ...termsIn('tag', wanted.tags ?? {})];
    const having = terms.map((term) => this.#byTerm.get(term) ?? NONE);
    const rarest = having.reduce<Iterable<Resource> & { readonly size: number }>((least, set) => (set.size < least.size ? set : least), {
      size: this.#byKey.size,
      [Symbol.iterator]: () => this.#byKey.values(),
    });
    let looked = 0;
    for (const resource of rarest) {
      if (isMeant(resource)) return true;
      looked += 1;
      if (looked >= LOOKED_AT) return true;
    }
    return false;
  }

  #termsOf(resource: Resource): Set<string> {
    const inbounds = resource.key.type === 'Dataplane' ? readProxy(resource, this.mesh).inbounds : [];
    return new Set([...termsIn('label', labelsOf(resource)), ...inbounds.flatMap(({ tags }) => termsIn('tag', tags))]);
  }
}

const NONE: ReadonlySet<Resource> = new Set();

function termsIn(what: 'label' | 'tag', pairs: Labels): string[] {
  return Object.entries(pairs).map(([key, value]) => `${what} ${key}=${value}`);
}
