import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { hashedName } from '../../../src/naming/hash-name.ts';
import { meridianctl } from '../../../test/harness/meridianctl.ts';

interface NameVector {
  readonly mesh: string;
  readonly displayName: string;
  readonly zone?: string;
  readonly namespace?: string;
  readonly name: string;
}

const file = new URL('../../../test/reference/naming-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as NameVector[];

describe('meridianctl name', { concurrency: 2 }, () => {
  it('knows every name that Kuma makes', () => {
    assert.equal(vectors.length, 120);
    for (const { mesh, displayName: name, zone = '', namespace = '', name: expected } of vectors) {
      assert.equal(hashedName({ mesh, name, zone, namespace }), expected);
    }
  });

  const longest = [...vectors].sort((a, b) => b.displayName.length - a.displayName.length)[0] as NameVector;
  for (const { mesh, displayName, zone, namespace, name } of [...vectors.slice(0, 4), longest]) {
    it(`prints the name and a newline alone: ${displayName.slice(0, 40)}`, async () => {
      const origin = [...(zone ? ['--zone', zone] : []), ...(namespace ? ['--namespace', namespace] : [])];
      assert.deepEqual(await meridianctl(['name', displayName, '-m', mesh, ...origin]), { code: 0, out: `${name}\n`, err: '' });
    });
  }

  it('is in mesh default, from global, unless it is told', async () => {
    const expected = hashedName({ mesh: 'default', name: 'backend', zone: '', namespace: '' });
    const { out } = await meridianctl(['-o', 'json', 'name', 'backend']);
    assert.deepEqual(JSON.parse(out), { name: expected });
  });
});
