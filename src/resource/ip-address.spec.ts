import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import test from 'node:test';
import fc from 'fast-check';
import { canonicalAddress, isLoopback, isLoopbackHost, socketOf } from './ip-address.ts';

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

/** `host`: as a host, where that is something else than as an address. */
const LOOPBACK: readonly [text: string, address: boolean, host?: boolean][] = [
  ['127.0.0.1', true],
  ['127.255.0.1', true],
  ['::1', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:7f00:1', true],
  ['::FFFF:127.8.8.8', true],
  ['localhost', false, true],
  ...[
    ...['', '127', '127.1', '127.999.1.1', '127.evil', '0127.0.0.1', '127.0.0.1 ', '127.0.0.1:80', '127.0.0.1.example.org'],
    ...['0.0.0.0', '128.0.0.1', '10.0.0.1', '::', '::2', '1::', '[::1]', '::1%lo', '::127.0.0.1', '::ffff:128.0.0.1', '127::1'],
    ...['localhost.', 'LOCALHOST', 'localhost.example.org', 'a.localhost', 'localhost:80', '2130706433', '0x7f.0.0.1'],
  ].map((text): [string, boolean] => [text, false]),
];

test('loopback is told from all else, and localhost is a host', () => {
  for (const [text, address, host = address] of LOOPBACK) assert.deepEqual([isLoopback(text), isLoopbackHost(text)], [address, host], text);
});
