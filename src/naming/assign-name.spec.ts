import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Key, compareKeys, keyId } from '../resource/key.ts';
import { type AssignedNames, nameFor } from './assign-name.ts';
import { hashedName, saltedName } from './hash-name.ts';

/** Gives names out as global does, and remembers them. */
class Names implements AssignedNames {
  readonly #byKey = new Map<string, string>();
  readonly #holders = new Map<string, Key>();

  assigned(key: Key): string | undefined {
    return this.#byKey.get(keyId(key));
  }

  holder(type: string, name: string): Key | undefined {
    return this.#holders.get(`${type}/${name}`);
  }

  give(key: Key): string {
    const name = nameFor(key, this);
    this.#byKey.set(keyId(key), name);
    this.#holders.set(`${key.type}/${name}`, key);
    return name;
  }
}

/** Few characters in few places: nearly every third of these keys shares Kuma's name with another one. */
const PLACES = ['', '1', 'a', '1a', 'a1'];
const ALL: readonly Key[] = ['MeshTimeout', 'MeshService'].flatMap((type) =>
  ['m', 'm2'].flatMap((mesh) => PLACES.flatMap((zone) => PLACES.map((namespace) => ({ type, mesh, zone, namespace, name: 'slow' })))),
);
/** Most of them, in any order: so many that some collide. */
const keys = fc.shuffledSubarray([...ALL], { minLength: ALL.length - 10 });

function collides(a: Key, others: readonly Key[]): boolean {
  return others.some((b) => compareKeys(a, b) !== 0 && a.type === b.type && hashedName(a) === hashedName(b));
}

describe('nameFor', () => {
  it('gives no name twice, and Kuma’s to every key that collides with nobody', () => {
    let collisions = 0;
    fc.assert(
      fc.property(keys, (all) => {
        const names = new Names();
        const given = all.map((k) => names.give(k));
        assert.equal(new Set(all.map((k, i) => `${k.type}/${given[i]}`)).size, all.length);
        for (const [i, k] of all.entries()) {
          if (!collides(k, all)) assert.equal(given[i], hashedName(k));
          else collisions++;
        }
      }),
    );
    assert.ok(collisions > 0, 'the keys were meant to collide');
  });

  it('gives a key one of two names, whatever came before it', () => {
    fc.assert(
      fc.property(keys, (all) => {
        const names = new Names();
        for (const k of all) assert.ok([hashedName(k), saltedName(k, 1)].includes(names.give(k)));
      }),
    );
  });

  it('stays with the name that was assigned', () => {
    fc.assert(
      fc.property(keys, (all) => {
        const names = new Names();
        const first = all.map((k) => names.give(k));
        assert.deepEqual(
          all.toReversed().map((k) => names.give(k)),
          first.toReversed(),
        );
      }),
    );
  });

  it('goes on to the next salt when the salted name is taken too', () => {
    const wanted: Key = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: '1a', name: 'slow' };
    const other: Key = { ...wanted, zone: 'west' };
    const taken = new Set([hashedName(wanted), saltedName(wanted, 1)]);
    const names = { assigned: () => undefined, holder: (_: string, name: string) => (taken.has(name) ? other : undefined) };
    assert.equal(nameFor(wanted, names), saltedName(wanted, 2));
  });

  it('leaves the names of unhashed kinds alone', () => {
    assert.equal(new Names().give({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' }), 'default');
  });
});
