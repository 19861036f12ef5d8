import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { formatTable } from './table.ts';

const PLAIN = { width: undefined, colours: false };

describe('formatTable', () => {
  it('aligns columns, shows what is empty, and leaves no blanks at the ends', () => {
    const table = formatTable(
      ['NAME', 'X'],
      [
        ['backend', ''],
        ['a', 'yes'],
      ],
      PLAIN,
    );
    assert.equal(table, 'NAME      X\nbackend   -\na         yes\n');
  });

  it('cuts the widest columns until all fit', () => {
    const table = formatTable(['NAME', 'REASON'], [['slow', 'mesh demo does not exist']], { width: 20, colours: false });
    assert.equal(table, 'NAME   REASON\nslow   mesh demo do…\n');
  });

  it('fits any terminal that has room for six characters a column', () => {
    const row = fc.tuple(fc.string({ unit: 'grapheme-ascii' }), fc.string({ unit: 'binary' }), fc.string({ maxLength: 200 }));
    fc.assert(
      fc.property(fc.array(row), fc.integer({ min: 24, max: 200 }), (rows, width) => {
        const lines = formatTable(['A', 'B', 'C'], rows, { width, colours: false }).split('\n');
        assert.equal(lines.length, rows.length + 2);
        for (const line of lines) assert.ok(stringWidth(line) <= width, line);
      }),
    );
  });

  it('counts columns: two for a wide character, none for a combining mark', () => {
    const rows = [
      ['日本', 'x'],
      ['e\u0301', 'y'],
    ];
    assert.equal(formatTable(['A', 'B'], rows, PLAIN), 'A      B\n日本   x\ne\u0301      y\n');
    const cut = formatTable(['A'], [['日本語日本語']], { width: 6, colours: false });
    assert.equal(cut, 'A\n日本…\n');
  });

  it('colours on demand, without moving anything', () => {
    const rows = [[{ text: 'yes', colour: 'green' as const }, 'x']];
    const coloured = formatTable(['ONLINE', 'X'], rows, { width: undefined, colours: true });
    assert.ok(coloured.includes('\u001b[32myes\u001b[0m'));
    assert.equal(coloured.replaceAll(/\u001b\[\d+m/g, ''), formatTable(['ONLINE', 'X'], rows, PLAIN));
  });

  it('lets nobody steer the terminal', () => {
    const table = formatTable(['REASON'], [['\u001b[2Jgone\nNAME\u202e']], PLAIN);
    assert.equal(table, 'REASON\n [2Jgone NAME\n');
  });
});
