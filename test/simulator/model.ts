import { type Key, keyId } from '../../src/resource/key.ts';
import type { Draft } from '../../src/resource/resource.ts';
import { type StoreContent, type StoreEntry, textOf } from './content.ts';

/**
 * What should be where, told by the templates that made it and never by the code under test. `all`: every control
 * plane; `global`: global only; `pinned`: global and one zone; `none`: nowhere but its origin.
 */
export type Reach = 'all' | 'global' | 'none' | { readonly pinned: string };

export interface Template {
  readonly draft: Draft;
  readonly reach: Reach;
  /** The names of services of the own zone and namespace that it refers to. */
  readonly refersTo?: string | undefined;
}

/** The last acknowledged word on a key at its origin. */
export interface Truth {
  readonly key: Key;
  readonly template: Template | undefined;
}

/**
 * All acknowledged writes, and the keys of which the last write may or may not have been committed (its process died in
 * it).
 */
export class Model {
  /** A zone that was taken over: what it says of itself is nobody's business, and what it has is worth nothing. */
  liar: string | undefined;
  private readonly truths = new Map<string, Truth>();
  private readonly unsure = new Map<string, Key>();
  /** Keys whose copies may go: somebody deleted them, or changed whom they are for. */
  private readonly mayGo = new Set<string>();
  /** For whom a key ever was. */
  private readonly reaches = new Map<string, Set<string>>();
  /** Whatever anybody ever wrote, by key and text. */
  private readonly templates = new Map<string, Template>();

  /** Call it before the write is tried, for a process may die behind its commit. */
  tried(key: Key, template: Template): void {
    this.templates.set(`${keyId(key)} ${textOf(template.draft.spec, template.draft.labels)}`, template);
  }

  written(key: Key, template: Template | undefined, acknowledged: boolean): void {
    const id = keyId(key);
    if (template === undefined || this.changesReach(id, template.reach) || this.unsure.has(id)) this.mayGo.add(id);
    if (!acknowledged) this.unsure.set(id, key);
    else {
      this.truths.set(id, { key, template });
      this.unsure.delete(id);
    }
  }

  /** Whether it ever was for others: a restored store has forgotten that, but not those who have it. */
  private changesReach(id: string, reach: Reach): boolean {
    const known = this.reaches.get(id) ?? new Set();
    this.reaches.set(id, known.add(JSON.stringify(reach)));
    return known.size > 1;
  }

  /** The store of `zone` is another one now: what it holds is the truth. */
  rebase(zone: string, content: StoreContent): void {
    for (const [id, { key }] of this.truths) if (key.zone === zone) this.truths.delete(id);
    for (const [id, key] of this.unsure) if (key.zone === zone) this.unsure.delete(id);
    for (const [id, entry] of content) {
      if (entry.key.zone === zone) this.truths.set(id, { key: entry.key, template: this.templateOf(entry) });
    }
  }

  /** An operator gave up the copies of this. */
  release(key: Key): void {
    this.mayGo.add(keyId(key));
  }

  /** So is what belongs to a mesh that may never have been made. */
  isUnsure(key: Key): boolean {
    return this.unsure.has(keyId(key)) || (this.unsure.has(meshId(key.mesh)) && !this.hasMesh(key.mesh));
  }

  mayBeDeleted(key: Key): boolean {
    return this.mayGo.has(keyId(key)) || this.unsure.has(keyId(key));
  }

  all(): readonly Truth[] {
    return [...this.truths.values()];
  }

  /** Everything acknowledged that should be at the control plane `at` ('' for global), with what it should say. */
  expectedAt(at: string): readonly (Truth & { readonly template: Template })[] {
    return this.all().flatMap(({ key, template }) =>
      template && (key.zone === at || (reaches(template.reach, key.zone, at) && this.hasMesh(key.mesh))) ? [{ key, template }] : [],
    );
  }

  /** A mesh can be lost with global's store: then nobody takes what is in it. */
  private hasMesh(mesh: string): boolean {
    return mesh === '' || this.truths.get(meshId(mesh))?.template !== undefined;
  }

  /** Whether `sender`, which holds the entry, has it in its feed for `receiver` ('' for global). */
  isFor(entry: StoreEntry, sender: string, receiver: string): boolean {
    const { key } = entry;
    if (key.zone === receiver || (sender !== '' && key.zone !== sender)) return false;
    return reaches(this.templateOf(entry)?.reach ?? 'none', key.zone, receiver);
  }

  private templateOf({ key, text }: StoreEntry): Template | undefined {
    return this.templates.get(`${keyId(key)} ${text}`);
  }
}

function meshId(name: string): string {
  return keyId({ type: 'Mesh', mesh: '', zone: '', namespace: '', name });
}

function reaches(reach: Reach, from: string, at: string): boolean {
  if (reach === 'none') return false;
  if (from === '') return reach === 'all';
  if (at === '') return true;
  if (typeof reach === 'object') return reach.pinned === at;
  return reach === 'all';
}

/** Global makes it at its first start. */
export function expectDefaultMesh(model: Model): void {
  const key: Key = { type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' };
  const draft: Draft = { type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} };
  model.tried(key, { draft, reach: 'all' });
  model.written(key, { draft, reach: 'all' }, true);
}
