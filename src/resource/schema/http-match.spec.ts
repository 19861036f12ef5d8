import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonValue } from '../resource.ts';
import { check } from './check-schema.ts';
import { httpMatch } from './http-match.ts';

function fields(match: JsonValue): string[] {
  return check(httpMatch, match, ['m']).problems.map(({ field }) => field);
}

const path = (value: JsonValue, type: JsonValue = 'Exact') => ({ path: { type, value } });
const headers = (...list: JsonValue[]) => ({ headers: list });
const params = (...list: JsonValue[]) => ({ queryParams: list });
const a = { type: 'Exact', name: 'a', value: 'b' };

/** Kuma takes these too. */
const ACCEPTED: readonly JsonValue[] = [
  ...['/', '/a', '/A', '/a/', '/a*', '/a%20b', '/.well-known/x'].flatMap((value) => [path(value), path(value, 'PathPrefix')]),
  ...['/a.*', '^/admin$', '(?i)/x', '\\pL+', '/a|/b'].map((value) => path(value, 'RegularExpression')),
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'].map((method) => ({ method })),
  { method: 'GET', headers: [], queryParams: [] },
  headers({ name: 'x-a', value: 'b' }),
  headers({ name: 'host', value: 'c' }, { name: 'x_a', type: 'Absent' }),
  headers({ type: 'Exact', name: 'x-a', value: '' }, { type: 'Present', name: 'x-a' }),
  headers({ type: 'Prefix', name: 'x-a', value: 'b ' }, { type: 'RegularExpression', name: 'x-b', value: ' b+ ' }),
  params(a),
  params({ ...a, value: '' }, { type: 'RegularExpression', name: 'b', value: 'x+' }),
];

/** What would open or lose a rule in silence: Kuma takes some of these. */
const REFUSED: readonly (readonly [match: JsonValue, ...fields: string[]])[] = [
  ...['a', 'admin', '//', '//admin', '/a//b', '/%61dmin', '/%2e', '/admin?x=1', '/#x', '/a/../b', '/./a', '/..', '/a b', '/ä'].flatMap(
    (value) => [[path(value), 'm.path.value'] as const, [path(value, 'PathPrefix'), 'm.path.value'] as const],
  ),
  ...['/a;b', '/a%3Bb', '/a\\b', '/%2f', '/%zz', '/a%', '/a\n', ''].map((value) => [path(value), 'm.path.value'] as const),
  [path('', 'RegularExpression'), 'm.path.value'],
  [path(7), 'm.path.value'],
  [path('/a', 'Prefix'), 'm.path.type'],
  [path('/a', 'exact'), 'm.path.type'],
  [{ path: { value: '/a' } }, 'm.path.type'],
  [{ path: { type: 'Exact' } }, 'm.path.value'],
  [{ path: { type: 'Exact', value: '/a', x: 1 } }, 'm.path.x'],
  [{ path: {} }, 'm.path.type', 'm.path.value'],
  [{ path: null }, 'm.path'],
  [{ path: '/a' }, 'm.path'],
  [{ path: [] }, 'm.path'],
  ...['get', 'GET ', '', 'ANY', '*', 'PURGE', null, 7, ['GET']].map((method) => [{ method }, 'm.method'] as const),
  [{}, 'm'],
  [{ headers: [] }, 'm'],
  [{ headers: [], queryParams: [] }, 'm'],
  [{ paths: { type: 'Exact', value: '/a' } }, 'm', 'm.paths'],
  [{ Method: 'POST' }, 'm', 'm.Method'],
  [{ header: [a] }, 'm', 'm.header'],
  [{ queryparams: [a] }, 'm', 'm.queryparams'],
  [{ method: 'GET', Path: { type: 'Exact', value: '/a' } }, 'm.Path'],
  [null, 'm'],
  ['x', 'm'],
  [[], 'm'],
  [{ headers: {} }, 'm.headers'],
  [{ headers: null }, 'm.headers'],
  [headers({}), 'm.headers[0].name', 'm.headers[0].value'],
  [headers({ name: 'x-a' }), 'm.headers[0].value'],
  [headers({ name: 'X-A', value: 'b' }), 'm.headers[0].name'],
  [headers({ name: 'x a', value: 'b' }), 'm.headers[0].name'],
  [headers({ name: ':path', value: 'b' }), 'm.headers[0].name'],
  [headers({ name: 'a'.repeat(257), value: 'b' }), 'm.headers[0].name'],
  [headers({ type: 'Present', name: 'x-a', value: 'b' }), 'm.headers[0].value'],
  [headers({ type: 'Absent', name: 'x-a', value: '' }), 'm.headers[0].value'],
  [headers({ type: 'Prefix', name: 'x-a', value: '' }), 'm.headers[0].value'],
  [headers({ type: 'RegularExpression', name: 'x-a' }), 'm.headers[0].value'],
  [headers({ type: 'exact', name: 'x-a', value: 'b' }), 'm.headers[0].type'],
  [headers({ name: 'x-a', value: 'b', x: 1 }), 'm.headers[0].x'],
  [headers({ name: 'x-a', value: 5 }), 'm.headers[0].value'],
  ...['b\nc', '\0', ' b', 'b '].map((value) => [headers({ name: 'x-a', value }), 'm.headers[0].value'] as const),
  [{ queryParams: { name: 'a' } }, 'm.queryParams'],
  [params({}), 'm.queryParams[0].name', 'm.queryParams[0].type', 'm.queryParams[0].value'],
  [params({ name: 'a', value: 'b' }), 'm.queryParams[0].type'],
  [params({ ...a, type: 'Present' }), 'm.queryParams[0].type'],
  [params({ type: 'Exact', name: 'a' }), 'm.queryParams[0].value'],
  [params({ ...a, name: '' }), 'm.queryParams[0].name'],
  [params({ ...a, x: 1 }), 'm.queryParams[0].x'],
  [params(a, { ...a, value: 'c' }), 'm.queryParams[1].name'],
];

test('a match of a route is checked to the leaf', () => {
  for (const match of ACCEPTED) assert.deepEqual(fields(match), [], JSON.stringify(match));
  for (const [match, ...expected] of REFUSED) assert.deepEqual(fields(match).sort(), [...expected].sort(), JSON.stringify(match));
});
