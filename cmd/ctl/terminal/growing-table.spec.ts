import assert from 'node:assert/strict';
import { it } from 'node:test';
import { growingTable } from './growing-table.ts';
import { context } from './table.ts';

it('puts later rows under the columns of earlier ones, each in one line', () => {
  const next = growingTable([context('MESH'), 'NAME', 'AGE'], { width: 12, colours: false, headings: true });
  assert.equal(next([['default', 'slow', '1m']]), 'MESH      NAME   AGE\ndefault   slow   1m\n');
  assert.equal(next([['demo', 'a', '0s']]), 'demo      a      0s\n');
  assert.equal(next([['demo', 'longer', '0s']]), 'demo      longer   0s\n');
  assert.equal(next([['demo', 'a', { text: 'deleted', colour: 'red' }]]), 'demo      a        deleted\n');
});

it('has its headings before any row, and none where none are wanted', () => {
  const next = growingTable(['NAME'], { width: 80, colours: false, headings: true });
  assert.deepEqual([next([]), next([['a']])], ['NAME\n', 'a\n']);
  assert.equal(growingTable(['NAME'], { width: 80, colours: false, headings: false })([['a']]), 'a\n');
});
