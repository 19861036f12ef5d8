import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../resource/resource.ts';
import { readMatches } from '../../resource/route-match.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { regionsOf } from './request-regions.ts';

let count = 0;

/** A permission of its own. */
function through(...matches: readonly JsonObject[]): Permission {
  const key = (type: string) => ({ type, mesh: 'default', zone: '', namespace: '', name: `x-${count++}` });
  return {
    key: key('MeshTrafficPermission'),
    mtp: { shape: 'none' },
    via: [{ route: key('MeshHTTPRoute'), matches: readMatches(matches), certain: true }],
  };
}

/** Of permissions of one match each: the routes of each region. */
function apart(...matches: readonly JsonObject[]): (readonly JsonObject[])[] {
  return regionsOf(matches.map((match) => through(match))).map(({ routes }) => routes);
}

/** The same of one permission with all of them. */
function together(...matches: readonly JsonObject[]): (readonly JsonObject[])[] {
  return regionsOf([through(...matches)]).map(({ routes }) => routes);
}

const get = [{ name: ':method', stringMatch: { exact: 'GET' } }];
const path = (type: string, value: string) => ({ path: { type, value } });
const below = (value: string) => path('PathPrefix', value);
const LEFT = [{ prefix: '/' }];

test('the longest path comes first, and with a method before without', () => {
  assert.deepEqual(apart(below('/v2'), { ...below('/v2/x'), method: 'GET' }, path('Exact', '/a'), { method: 'GET' }), [
    [],
    [{ path: '/a', headers: get }],
    [{ path: '/a' }],
    [{ pathSeparatedPrefix: '/v2/x', headers: get }],
    [{ pathSeparatedPrefix: '/v2/x' }],
    [{ pathSeparatedPrefix: '/v2', headers: get }],
    [{ pathSeparatedPrefix: '/v2' }],
    [{ prefix: '/', headers: get }],
    LEFT,
  ]);
});

test('a method counts only where its path does', () => {
  assert.deepEqual(apart(below('/a'), { ...below('/b'), method: 'GET' }), [
    [],
    [{ pathSeparatedPrefix: '/a' }],
    [{ pathSeparatedPrefix: '/b', headers: get }],
    [{ pathSeparatedPrefix: '/b' }],
    LEFT,
  ]);
});

test('what is decided alike is one region', () => {
  assert.deepEqual(together(below('/a'), below('/b'), path('Exact', '/c'), path('Exact', '/d')), [
    [],
    [{ path: '/c' }, { path: '/d' }],
    [{ pathSeparatedPrefix: '/a' }, { pathSeparatedPrefix: '/b' }],
    LEFT,
  ]);
});

test('what is decided as it is around it is no region', () => {
  assert.deepEqual(together(below('/a'), below('/a/b'), path('Exact', '/a'), { ...below('/a/c'), method: 'GET' }), [
    [],
    [{ pathSeparatedPrefix: '/a' }],
    LEFT,
  ]);
  assert.deepEqual(together(below('/'), below('/a')), [[], LEFT]);
});

test('another spelling of a path is a region, of which it can not be told', () => {
  const [, plain, spelled] = regionsOf([through(below('/a!b'))]);
  assert.deepEqual(plain?.routes, [{ pathSeparatedPrefix: '/a!b' }]);
  assert.deepEqual(spelled?.routes, [{ prefix: '/a%21' }]);
  assert.deepEqual(
    [plain, spelled].map((region) => region?.decided.applied.map(({ certain }) => certain)),
    [[true], [false]],
  );
});

test('5,000 matches of one permission are one region, and 5,000 permissions of one match are looked at once each', () => {
  const paths = Array.from({ length: 5_000 }, (_, index) => below(`/api/p-${index}`));
  assert.deepEqual(
    together(...paths).map((routes) => routes.length),
    [0, 5_000, 1],
  );
  const regions = regionsOf(paths.map((match) => through(match)));
  assert.equal(regions.length, 5_002);
  assert.equal(
    regions.reduce((sum, { decided }) => sum + decided.applied.length, 0),
    10_000,
  );
});

test('what comes to too many rules is refused', () => {
  const paths = Array.from({ length: 300 }, (_, index) => below(`/api/p-${index}`));
  const everywhere = Array.from({ length: 300 }, () => through({}));
  assert.equal(regionsOf([...paths.slice(0, 100).map((match) => through(match)), ...everywhere]).length, 102);
  assert.throws(() => regionsOf([...paths.map((match) => through(match)), ...everywhere]), { code: 'too_large' });
});

test('what no path can be, and what Envoy would refuse, makes no route', () => {
  for (const value of ['/a?b', '/a#b', '/a//b', '/a//', '/%61', 'a']) {
    for (const type of ['Exact', 'PathPrefix']) assert.deepEqual(together(path(type, value)), [[], LEFT], `${type} ${value}`);
  }
  assert.deepEqual(together(path('Exact', '')), [[], LEFT]);
  assert.deepEqual(together(path('RegularExpression', '/a.*')), [[], LEFT]);
});

test('slashes at the end of a prefix', () => {
  assert.deepEqual(together(below('/a/')), [[], [{ pathSeparatedPrefix: '/a' }], LEFT]);
  assert.deepEqual(together(below('/')), [[], LEFT]);
});

test('without targeted routes there is one', () => {
  assert.equal(regionsOf([{ ...through(), via: undefined }]).length, 1);
});
