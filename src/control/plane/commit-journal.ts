import type { Key } from '../../resource/key.ts';
import type { Transaction } from '../../resource/store/store.ts';

/** How many keys are remembered: after more, everything is read again, which then takes no longer. */
const MOST = 10_000;

/**
 * Which resources the last commits wrote or removed.
 *
 *   commit 7 writes a, commit 8 removes b   ->  since 6: a, b; since 7: b; since 3: not known
 */
export class Journal {
  #commits: { readonly revision: number; readonly keys: readonly Key[] }[] = [];
  #size = 0;

  /** The transaction, which writes down what it touches in `keys`. */
  static watch(tx: Transaction, keys: Key[]): Transaction {
    const put: Transaction['put'] = (resource, audience, wire) => {
      const outcome = tx.put(resource, audience, wire);
      if (outcome !== 'unchanged') keys.push(resource.key);
      return outcome;
    };
    const remove: Transaction['delete'] = (key) => {
      const gone = tx.delete(key);
      if (gone) keys.push(key);
      return gone;
    };
    // The revision is a getter of `tx`.
    return Object.assign(Object.create(tx) as Transaction, { put, delete: remove });
  }

  /** Of the commit that made this revision. One that touched nothing made none, and the revision is another's. */
  add(revision: number, keys: readonly Key[]): void {
    if (keys.length === 0) return;
    if (this.#commits.at(-1)?.revision !== revision - 1) this.#clear();
    this.#commits.push({ revision, keys });
    this.#size += keys.length;
    while (this.#size > MOST) this.#size -= this.#commits.shift()?.keys.length ?? 0;
  }

  /** The keys that were touched after the one revision, up to the other; undefined: not known. */
  between(since: number, until: number): readonly Key[] | undefined {
    if (since === until) return [];
    // Revision by revision, without gaps.
    const first = this.#commits[0]?.revision ?? 0;
    const later = since + 1 < first ? [] : this.#commits.slice(since + 1 - first, until + 1 - first);
    return later.length === until - since ? later.flatMap(({ keys }) => keys) : undefined;
  }

  #clear(): void {
    this.#commits = [];
    this.#size = 0;
  }
}
