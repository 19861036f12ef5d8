import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../resource/resource.ts';
import { readMatches } from '../../resource/route-match.ts';
import type { Permission } from '../decide/read-permissions.ts';
import { regionsOf } from './request-regions.ts';

function through(...matches: readonly JsonObject[]): Permission {
  const key = (type: string) => ({ type, mesh: 'default', zone: '', namespace: '', name: 'x' });
  return {
    key: key('MeshTrafficPermission'),
    mtp: { shape: 'none' },
    via: [{ route: key('MeshHTTPRoute'), matches: readMatches(matches), certain: true }],
  };
}

function routes(...matches: readonly JsonObject[]): (JsonObject | undefined)[] {
  return regionsOf([through(...matches)]).map(({ route }) => route);
}

const get = [{ name: ':method', stringMatch: { exact: 'GET' } }];
const path = (type: string, value: string) => ({ path: { type, value } });

test('the longest path comes first, and with a method before without', () => {
  assert.deepEqual(
    routes(path('PathPrefix', '/v2'), { ...path('PathPrefix', '/v2/x'), method: 'GET' }, path('Exact', '/a'), { method: 'GET' }),
    [
      undefined,
      { path: '/a', headers: get },
      { path: '/a' },
      { pathSeparatedPrefix: '/v2/x', headers: get },
      { pathSeparatedPrefix: '/v2/x' },
      { pathSeparatedPrefix: '/v2', headers: get },
      { pathSeparatedPrefix: '/v2' },
      { prefix: '/', headers: get },
      undefined,
    ],
  );
});

test('a method counts only where its path does', () => {
  const both = routes(path('PathPrefix', '/a'), { ...path('PathPrefix', '/b'), method: 'GET' });
  assert.deepEqual(both, [
    undefined,
    { pathSeparatedPrefix: '/a' },
    { pathSeparatedPrefix: '/b', headers: get },
    { pathSeparatedPrefix: '/b' },
    undefined,
  ]);
});

test('what no path can be, and what Envoy would refuse, makes no route', () => {
  for (const value of ['/a?b', '/a#b', '/a//b', '/a//', '/%61', 'a']) {
    for (const type of ['Exact', 'PathPrefix']) assert.deepEqual(routes(path(type, value)), [undefined, undefined], `${type} ${value}`);
  }
  assert.deepEqual(routes(path('Exact', '')), [undefined, undefined]);
  assert.deepEqual(routes(path('RegularExpression', '/a.*')), [undefined, undefined]);
});

test('slashes at the end of a prefix', () => {
  assert.deepEqual(routes(path('PathPrefix', '/a/')), [undefined, { pathSeparatedPrefix: '/a' }, undefined]);
  assert.deepEqual(routes(path('PathPrefix', '/')), [undefined, { prefix: '/' }, undefined]);
});

test('without targeted routes there is one', () => {
  assert.equal(regionsOf([{ ...through(), via: undefined }]).length, 1);
});
