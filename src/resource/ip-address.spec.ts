import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import test from 'node:test';
import fc from 'fast-check';
import { canonicalAddress, socketOf } from './ip-address.ts';

const TABLE: readonly [text: string, canonical: string | undefined][] = [
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['0000:0000:0000:0000:0000:0000:0000:0001', '::1'],
  ['::0.0.0.1', '::1'],
  ['FD00::A', 'fd00::a'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:a00:1', '10.0.0.1'],
  ['0:0:0:0:0:ffff:10.0.0.1', '10.0.0.1'],
  ['::', '::'],
  ['0.0.0.0', '0.0.0.0'],
  ['fe80::1%eth0', undefined],
  ['fe80::1%25eth0', undefined],
  ['[::1]', undefined],
  ['010.0.0.1', undefined],
  ['127.1', undefined],
  ['0x7f.0.0.1', undefined],
  ['256.0.0.1', undefined],
  ['10.0.0.1 ', undefined],
  ['10.0.0.1:80', undefined],
  ['a.example', undefined],
  ['1::2::3', undefined],
  ['', undefined],
  ['::1/64', undefined],
  ['\ud800', undefined],
];

test('one form for each address', () => {
  for (const [text, expected] of TABLE) assert.equal(canonicalAddress(text), expected, text);
});

test('an address is what Node takes for one, but for zones; its form is an address, and the form of itself', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV4Extended(), fc.ipV6(), fc.string(), fc.constantFrom(...TABLE.map(([text]) => text)));
  fc.assert(
    fc.property(address, (text) => {
      const canonical = canonicalAddress(text);
      assert.equal(canonical !== undefined, isIP(text) !== 0 && !text.includes('%'), text);
      if (canonical === undefined) return;
      assert.notEqual(isIP(canonical), 0);
      assert.equal(canonicalAddress(canonical), canonical);
    }),
    { numRuns: 2000 },
  );
});

test('sockets are compared by their addresses', () => {
  assert.equal(socketOf('::1', 80), socketOf('0:0:0:0:0:0:0:1', 80));
  assert.equal(socketOf('A.example', 80), socketOf('a.example', 80));
  assert.notEqual(socketOf('::1', 80), socketOf('::1', 81));
  assert.notEqual(socketOf('::1', 80), socketOf('::2', 80));
});
