import { type Key, keyId } from '../../src/resource/key.js';
import type { Draft } from '../../src/resource/resource.js';

/**
 * What should be where, told by the templates that made it and never by the code under test. `all`: every control plane; `global`: global
 * only; `pinned`: global and one zone; `none`: nowhere but its origin.
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

/** All acknowledged writes, and the keys of which the last write may or may not have been committed (its process died in it). */
export class Model {
  private readonly truths = new Map<string, Truth>();
  private readonly unsure = new Set<string>();
  /** Keys whose copies may go: somebody deleted them, or changed whom they are for. */
  private readonly mayGo = new Set<string>();
  private readonly changes = new Map<string, number>();

  written(key: Key, template: Template | undefined, acknowledged: boolean): void {
    const id = keyId(key);
    const before = this.truths.get(id);
    if (template === undefined || (before?.template && !sameReach(before.template.reach, template.reach)) || this.unsure.has(id))
      this.mayGo.add(id);
    if (acknowledged) this.truths.set(id, { key, template });
    else this.unsure.add(id);
    this.changes.set(id, (this.changes.get(id) ?? 0) + 1);
    if (acknowledged) this.unsure.delete(id);
  }

  isUnsure(key: Key): boolean {
    return this.unsure.has(keyId(key));
  }

  mayBeDeleted(key: Key): boolean {
    return this.mayGo.has(keyId(key)) || this.unsure.has(keyId(key));
  }

  /** How often somebody wrote it. */
  writes(key: Key): number {
    return this.changes.get(keyId(key)) ?? 0;
  }

  all(): readonly Truth[] {
    return [...this.truths.values()];
  }

  /** Everything acknowledged that should be at the control plane `at` ('' for global), with what it should say. */
  expectedAt(at: string): readonly (Truth & { readonly template: Template })[] {
    return this.all().flatMap(({ key, template }) =>
      template && (key.zone === at || reaches(template.reach, key.zone, at)) ? [{ key, template }] : [],
    );
  }
}

function sameReach(a: Reach, b: Reach): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function reaches(reach: Reach, from: string, at: string): boolean {
  if (reach === 'none') return false;
  if (from === '') return reach === 'all';
  if (at === '') return true;
  if (typeof reach === 'object') return reach.pinned === at;
  return reach === 'all';
}
