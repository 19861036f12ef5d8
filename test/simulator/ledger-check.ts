import { ledger } from '../../src/control/operate/ledger.ts';
import { keyId } from '../../src/resource/key.ts';
import type { Node } from './node.ts';
import type { World } from './world.ts';

/**
 * What a ledger calls applied although the other side does not have it, at this very moment. Not to be asked where
 * stores were restored.
 */
export function untrueEntries(world: World, liar: string | undefined): string[] {
  const honest = [...world.nodes.values()].filter(({ up, place }) => up && place.zone !== liar);
  return honest.flatMap((node) => untrueAt(world, node, liar));
}

function untrueAt(world: World, node: Node, liar: string | undefined): string[] {
  const rows = [...node.content.values()].flatMap(({ key }) => node.plane.store.get(key) ?? []);
  return ledger(node.plane, rows, (peer) => viewOf(node, peer)).flatMap(({ key, peer, state }) => {
    const there = world.node(peer === 'global' ? '' : peer).content.get(keyId(key));
    if (state !== 'applied' || peer === liar || key.zone === liar || there?.text === node.content.get(keyId(key))?.text) return [];
    return [`${node.name} says that ${keyId(key)} is applied in ${peer}, which has ${there?.text ?? 'nothing'}`];
  });
}

function viewOf(node: Node, peer: string) {
  const view = node.view(peer);
  if (!view) throw new Error(`${node.name} does not run`);
  return view;
}
