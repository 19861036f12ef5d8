import { z } from 'zod';
import { type Key, keyFromTuple } from '../../src/resource/key.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import { OTHERS } from '../../src/resource/audience.ts';
import type { Node } from '../simulator/node.ts';

const text = z.string();

/** What the forger's own store needs to know of an item; the item itself is sent as it is. */
const forged = z.looseObject({
  key: z.tuple([text, text, text, text, text]),
  labels: z.record(text, text).default({}),
  spec: z.record(text, z.unknown()).default({}),
});

/** The keys that each control plane forged: they are no part of what it should hold. */
const forgeries = new WeakMap<Node, Key[]>();

/**
 * Puts raw items on the wire, as a control plane that does not play by the rules: every document goes out as it is, as
 * one line of its feed, through its own session and under its own identity. In the forger's store it is filed under its
 * own zone, whatever the item says.
 */
export function forge(node: Node, documents: readonly unknown[]): void {
  for (const document of documents) {
    const { key, labels, spec } = forged.parse(document);
    const own: Key = { ...keyFromTuple(key), zone: node.place.zone };
    forgeries.set(node, [...forgeriesOf(node), own]);
    const times = { creationTime: node.plane.now(), modificationTime: node.plane.now() };
    // Its name there is of no account, but must be nobody else's.
    const name = `forged-${forgeriesOf(node).length}`;
    const resource: Resource = { key: own, name, namespace: own.namespace, labels, spec: spec as JsonObject, ...times };
    node.write((plane) => plane.store.commit((tx) => tx.put(resource, OTHERS, JSON.stringify(document))));
  }
}

export function forgeriesOf(node: Node): readonly Key[] {
  return forgeries.get(node) ?? [];
}
