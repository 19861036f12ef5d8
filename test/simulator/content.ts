import { type Key, keyId } from '../../src/resource/key.ts';
import { KINDS } from '../../src/resource/kinds.ts';
import type { Resource } from '../../src/resource/resource.ts';
import type { Head, Reader } from '../../src/resource/store/store.ts';

/** What a store holds under one key, told without the code under test. */
export interface StoreEntry {
  readonly key: Key;
  /** What it says, whatever it is called there. */
  readonly text: string;
}

/** What a store holds, by key. Zones are registered by global itself and stay there. */
export type StoreContent = ReadonlyMap<string, StoreEntry>;

export function entryOf({ key, spec, labels }: Resource): StoreEntry {
  return { key, text: textOf(spec, labels) };
}

/** Names and namespaces of references differ from store to store. */
export function textOf(spec: unknown, labels: Resource['labels']): string {
  const said = JSON.stringify(spec, (field, value: unknown) => (field === 'name' || field === 'namespace' ? undefined : value));
  return `${said} ${labels['kuma.io/kds-sync'] ?? ''}`;
}

export function contentOf(reader: Reader): Map<string, StoreEntry> {
  const content = new Map<string, StoreEntry>();
  for (const { type } of KINDS) {
    if (type === 'Zone') continue;
    for (const { resource } of reader.each(type)) content.set(keyId(resource.key), entryOf(resource));
  }
  return content;
}

/**
 * What each control plane held at each of its revisions. After a restore a revision comes twice: either may be meant.
 */
export class History {
  private readonly moments = new Map<string, StoreContent[]>();

  record(head: Head, content: StoreContent): void {
    const at = momentOf(head);
    const known = this.moments.get(at) ?? [];
    known.push(new Map(content));
    this.moments.set(at, known);
  }

  /** All that was held at that moment of that store. */
  at(head: Pick<Head, 'store' | 'term' | 'revision'>): readonly StoreContent[] {
    return this.moments.get(momentOf(head)) ?? [];
  }
}

function momentOf({ store, term, revision }: Pick<Head, 'store' | 'term' | 'revision'>): string {
  return `${store}/${term}/${revision}`;
}
