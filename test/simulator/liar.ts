import { encodeItem } from '../../src/kds/item.ts';
import { NOBODY, OTHERS } from '../../src/resource/audience.ts';
import type { Key } from '../../src/resource/key.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import type { Model } from './model.ts';
import type { Node } from './node.ts';
import type { World } from './world.ts';

/**
 * A zone that was taken over. It speaks the protocol as it should, with a store that says what its owner never may:
 * resources of other zones and of global, changed or gone, under their own keys and labels. Whatever it does, others
 * may only see resources of its own zone change.
 */
export function lie(world: World, model: Model, liar: Node): void {
  if (!liar.up) return;
  const { random } = world;
  const victims = model.all().filter(({ key }) => key.zone !== liar.place.zone && key.type !== 'Mesh');
  if (victims.length === 0) return;
  const { key } = random.pick(victims);
  world.log(`${liar.name} claims ${key.type} ${key.mesh}/${key.zone}/${key.namespace}/${key.name.slice(0, 12)}`);
  const gone = random.chance(0.3);
  const name = `forged${random.below(100)}-${key.name.slice(0, 20)}`;
  liar.write(({ store, now }) =>
    store.commit((tx) => {
      // Its own store has one name for one resource, whatever it says of them.
      if (tx.byName(key.type, key.mesh, key.namespace, name)) return;
      tx.put(forged(key, name, now()), OTHERS, wireOf(key));
      if (gone) tx.delete(key);
      else if (random.chance(0.2)) tx.put(forged(key, name, now()), NOBODY, '');
    }),
  );
}

const SPEC: JsonObject = { to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: '666s' } }] };

function forged(key: Key, name: string, now: string): Resource {
  const labels = { 'kuma.io/origin': 'global', 'kuma.io/zone': key.zone, 'kuma.io/display-name': key.name };
  return {
    key,
    name,
    namespace: key.namespace,
    labels,
    spec: SPEC,
    status: undefined,
    creationTime: now,
    modificationTime: now,
  };
}

function wireOf(key: Key): string {
  return encodeItem({ key, labels: { 'kuma.io/zone': key.zone, 'kuma.io/origin': 'global' }, spec: SPEC });
}
