import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from './resource.ts';
import { type RouteMatch, readMatches } from './route-match.ts';

const v2 = { type: 'PathPrefix', value: '/v2' };
const UNTOLD = { certain: false };

const READ: readonly (readonly [matches: JsonValue | undefined, read: readonly RouteMatch[]])[] = [
  [undefined, [{ certain: true }]],
  [[{}], [{ certain: true }]],
  [[{ path: v2, method: 'GET' }], [{ path: { type: 'Prefix', value: '/v2' }, method: 'GET', certain: true }]],
  [[{ path: { ...v2, type: 'Exact' }, headers: [] }], [{ path: { type: 'Exact', value: '/v2' }, certain: true }]],
  // What is asked beside, it can't be told; method and path it must have all the same.
  [[{ path: v2, headers: [{ name: 'x', value: 'y' }] }], [{ path: { type: 'Prefix', value: '/v2' }, certain: false }]],
  [[{ method: 'GET', queryParams: [{ type: 'Exact', name: 'x', value: 'y' }] }], [{ method: 'GET', certain: false }]],
  [[{ method: 'GET', path: { type: 'RegularExpression', value: '/v.' } }], [{ method: 'GET', certain: false }]],
  // What can't be read, as it may be stored from before it was refused, may be for any request.
  ...[
    { paths: v2 },
    { Method: 'POST' },
    { header: [] },
    { queryParams: { name: 'a' } },
    { headers: {} },
    { path: {} },
    { method: 'get' },
  ].map(
    (match) =>
      [
        [match, { method: 'PUT' }],
        [UNTOLD, { method: 'PUT', certain: true }],
      ] as const,
  ),
  ...['//admin', '/%61dmin', '/admin?x=1', 'admin', '/a;b'].map((value) => [[{ path: { type: 'Exact', value } }], [UNTOLD]] as const),
  [[{ path: v2, method: 'GET ' }], [UNTOLD]],
  [
    ['x', null],
    [UNTOLD, UNTOLD],
  ],
  [[], [UNTOLD]],
  [{}, [UNTOLD]],
  ['x', [UNTOLD]],
];

test('matches of a route', () => {
  for (const [matches, read] of READ) assert.deepEqual(readMatches(matches), read, JSON.stringify(matches));
});
