import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Key } from '../resource/key.ts';
import { hashedName, looksHashed, saltedName } from './hash-name.ts';

interface HashVector {
  readonly mesh: string;
  readonly displayName: string;
  readonly zone?: string;
  readonly namespace?: string;
  readonly name: string;
}

const file = new URL('../../test/reference/naming-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as HashVector[];
const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
const displayName = fc.stringMatching(/^[a-z0-9][-.a-z0-9]{0,251}[a-z0-9]$/);

describe('hashedName', () => {
  it('makes the names that Kuma makes', () => {
    assert.equal(vectors.length, 120);
    for (const { mesh, displayName: name, zone = '', namespace = '', name: expected } of vectors) {
      assert.equal(hashedName({ mesh, name, zone, namespace }), expected);
    }
  });

  it('keeps a name that fits whole, and never gets longer than 253', () => {
    fc.assert(
      fc.property(part, displayName, part, part, (mesh, name, zone, namespace) => {
        const hashed = hashedName({ mesh, name, zone, namespace });
        assert.equal(hashed.slice(0, -17), name.slice(0, 236));
        assert.equal(hashed.length, Math.min(253, name.length + 17));
        assert.ok(looksHashed(hashed));
      }),
    );
  });
});

describe('saltedName', () => {
  const key: Key = { type: 'MeshTimeout', mesh: 'default', zone: 'east', namespace: '1a', name: 'slow' };

  it('tells apart what Kuma runs together', () => {
    const twin: Key = { ...key, zone: 'east1', namespace: 'a' };
    assert.equal(hashedName(key), hashedName(twin));
    assert.notEqual(saltedName(key, 1), saltedName(twin, 1));
  });

  it('has the form of a hashed name, and another one for each n', () => {
    fc.assert(
      fc.property(displayName, fc.uniqueArray(fc.nat(), { minLength: 2, maxLength: 5 }), (name, salts) => {
        const names = salts.map((n) => saltedName({ ...key, name }, n));
        assert.equal(new Set(names).size, salts.length);
        for (const salted of names) {
          assert.ok(looksHashed(salted) && salted.length <= 253 && salted.startsWith(name.slice(0, 236)));
        }
      }),
    );
  });
});

describe('looksHashed', () => {
  const cases: [name: string, looks: boolean][] = [
    ['backend-bcdfghjklmnpqrst', true],
    ['backend-vwxz2456789bcdfg', true],
    ['backend.v2-4444444444444444', true],
    ['backend', false],
    ['backend-bcdfghjklmnpqrs', false],
    ['backend-bcdfghjklmnpqrstv', false],
    ['backend-bcdfghjklmnpqrsa', false],
    ['backend-bcdfghjklmnpqrs0', false],
    ['backendbcdfghjklmnpqrst', false],
    ['backend-bcdfghjklmnpqrst-x', false],
    ['4444444444444444', false],
  ];
  for (const [name, looks] of cases) {
    it(`${name}: ${looks}`, () => assert.equal(looksHashed(name), looks));
  }
});
