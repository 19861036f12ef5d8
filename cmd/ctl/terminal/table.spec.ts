import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { type Cell, type Column, context, formatTable, wraps } from './table.ts';

const PLAIN = { width: undefined, colours: false, headings: true };
const on = (width: number) => ({ ...PLAIN, width });

const LEDGER: readonly Column[] = ['TYPE', context('MESH'), 'NAME', context('ORIGIN'), 'PEER', 'STATE', wraps('REASON')];
const STATES: readonly Cell[][] = [
  ['MeshTrafficPermission', 'default', 'backend-allow-the-frontend-and-nobody-else', 'global', 'east', 'applied', ''],
  ['MeshTimeout', 'default', 'slow', 'global', 'west', 'refused', 'mesh demo does not exist here, so that its resources wait for it'],
];
/** What a name is worth: the whole of it, somewhere. */
const NAMES = ['backend-allow-the-frontend-and-nobody-else', 'MeshTrafficPermission', 'slow'];

const GOLDEN: readonly [width: number, table: string][] = [
  [
    200,
    `TYPE                    NAME                                         PEER   STATE     REASON
MeshTrafficPermission   backend-allow-the-frontend-and-nobody-else   east   applied   -
MeshTimeout             slow                                         west   refused   mesh demo does not exist here, so that its resources wait for it
(all: mesh default, origin global)
`,
  ],
  [
    120,
    `TYPE                    NAME                                         PEER   STATE     REASON
MeshTrafficPermission   backend-allow-the-frontend-and-nobody-else   east   applied   -
MeshTimeout             slow                                         west   refused   mesh demo does not exist here, so
                                                                                      that its resources wait for it
(all: mesh default, origin global)
`,
  ],
  [
    80,
    `TYPE     MeshTrafficPermission
NAME     backend-allow-the-frontend-and-nobody-else
PEER     east
STATE    applied

TYPE     MeshTimeout
NAME     slow
PEER     west
STATE    refused
REASON   mesh demo does not exist here, so that its resources wait for it
(all: mesh default, origin global)
`,
  ],
];

describe('formatTable', () => {
  it('aligns columns, shows what is empty, and leaves no blanks at the ends', () => {
    const rows = [
      ['backend', ''],
      ['a', 'yes'],
    ];
    assert.equal(formatTable(['NAME', 'X'], rows, PLAIN), 'NAME      X\nbackend   -\na         yes\n');
    assert.equal(formatTable(['NAME', 'X'], rows, { ...PLAIN, headings: false }), 'backend   -\na         yes\n');
  });

  for (const [width, table] of GOLDEN) it(`fits ${width} columns`, () => assert.equal(formatTable(LEDGER, STATES, on(width)), table));

  it('shows every column where lines may be of any length: scripts count them', () => {
    const [heading] = formatTable(LEDGER, STATES, PLAIN).split('\n');
    assert.deepEqual(heading?.split(/ {2,}/), ['TYPE', 'MESH', 'NAME', 'ORIGIN', 'PEER', 'STATE', 'REASON']);
  });

  it('says of a single row where it is from', () => {
    assert.equal(formatTable([context('MESH'), 'NAME'], [['default', 'slow']], on(80)), 'MESH      NAME\ndefault   slow\n');
  });

  it('cuts no name, however narrow the terminal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 200 }), (width) => {
        const table = formatTable(LEDGER, STATES, on(width));
        for (const name of NAMES) assert.ok(table.includes(name), table);
      }),
    );
  });

  it('fits any terminal of 40 columns or more, and loses no letter', () => {
    const row = fc.tuple(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'grapheme' }), fc.string({ maxLength: 200 }));
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 40, max: 200 }), (rows, width) => {
        const columns = ['A', wraps('B'), wraps('C')];
        const table = formatTable(columns, rows, on(width));
        for (const line of table.split('\n')) assert.ok(stringWidth(line) <= width, line);
        const letters = (text: string): string => [...text.replaceAll(/[^a-z]/gu, '')].sort().join('');
        assert.equal(letters(table), letters(formatTable(columns, rows, PLAIN)));
      }),
    );
  });

  it('counts columns: two for a wide character, none for a combining mark', () => {
    const rows = [
      ['日本', 'x'],
      ['e\u0301', 'y'],
    ];
    assert.equal(formatTable(['A', 'B'], rows, PLAIN), 'A      B\n日本   x\ne\u0301      y\n');
    const wide = '日本'.repeat(10);
    assert.equal(formatTable([wraps('A')], [[wide]], on(21)), `A\n${'日本'.repeat(5)}\n${'日本'.repeat(5)}\n`);
  });

  it('colours on demand, without moving anything', () => {
    const rows = [[{ text: 'yes', colour: 'green' as const }, 'x']];
    const coloured = formatTable(['ONLINE', 'X'], rows, { ...PLAIN, colours: true });
    assert.ok(coloured.includes('\u001b[32myes\u001b[0m'));
    assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ''), formatTable(['ONLINE', 'X'], rows, PLAIN));
  });

  it('lets nobody steer the terminal', () => {
    const table = formatTable(['REASON'], [['\u001b[2Jgone\nNAME\u202e']], PLAIN);
    assert.equal(table, 'REASON\n [2Jgone NAME\n');
  });
});
