import type { Holder } from '../../policy/match/mesh-index.ts';
import { keyId } from '../../resource/key.ts';
import { KINDS } from '../../resource/kinds.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { MeshView } from './mesh-view.ts';

/**
 * A view that asks its store nothing any more, made in steps, so that it holds after the transaction it was read in.
 * `named`: those whose names may be others than outside of the transaction; `holder` knows all other names.
 */
export function* settle(view: MeshView, named: readonly Resource[], holder: Holder): Parts<MeshView> {
  const { index } = view;
  const held = new Map<string, ReturnType<Holder>>();
  for (const { key, name } of named) {
    held.set(idOf(key.type, name), index.holder(key.type, name));
    yield;
  }
  const lost = new Map(KINDS.map(({ type }) => [type, index.lost(type)]));
  return {
    ...view,
    index: {
      ...index,
      lost: (type) => lost.get(type) ?? [],
      holder: (type, name) => (held.has(idOf(type, name)) ? held.get(idOf(type, name)) : holder(type, name)),
    },
  };
}

function idOf(type: string, name: string): string {
  return keyId({ type, mesh: '', zone: '', namespace: '', name });
}
