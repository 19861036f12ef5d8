import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { RIGHTS } from '../../src/api/auth/rights.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { EAST, newApi } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof METHODS)[number];

/** Each pattern that the API has, with its methods. */
const served = new Map<string, readonly Method[]>();
for (const [, url = ''] of [...RIGHTS.keys()].map((route) => route.split(' ')))
  served.set(
    url,
    METHODS.filter((method) => RIGHTS.has(`${method} ${url}`)),
  );

describe('a method that a path has not', () => {
  for (const place of [GLOBAL, EAST]) {
    const { app } = newApi(scope, place);
    const answer = async (method: Method, url: string) => {
      const { statusCode, headers } = await app.inject({
        method,
        url,
        headers: { host: '127.0.0.1', 'content-type': 'x/y' },
        ...(method === 'GET' || method === 'HEAD' ? {} : { payload: 'x' }),
      });
      return [statusCode, headers.allow];
    };

    for (const [pattern, methods] of served) {
      if (!methods.some((method) => app.hasRoute({ method, url: pattern }))) continue;
      // HEAD is served where GET is.
      const there = METHODS.filter((method) => methods.includes(method === 'HEAD' ? 'GET' : method));
      const others = METHODS.filter((method) => !there.includes(method));
      it(`is refused at ${pattern} of ${place.zone || 'global'}, with those that it has`, async () => {
        const path = pattern.replaceAll(/:[^/]+/g, 'x');
        for (const method of others)
          for (const written of [path, `${path}?a=/b`, path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)])
            assert.deepEqual(await answer(method, written), [405, there.join(', ')], `${method} ${written}`);
        if (path !== '/') assert.deepEqual(await answer(others[0] ?? 'OPTIONS', `${path}/`), [405, there.join(', ')], `${path}/`);
      });
    }

    it(`is as unknown at ${place.zone || 'global'} as any other where there is nothing`, async () => {
      for (const url of ['/nowhere', '/meshes/x/nowhere', '//meshes', '/MESHES', '/zones/x/_overview/y'])
        for (const method of METHODS) assert.deepEqual(await answer(method, url), [404, undefined], `${method} ${url}`);
    });
  }

  it('is not told to whoever is not let in', async () => {
    const { app } = newApi(scope, GLOBAL);
    const { statusCode, headers } = await app.inject({ method: 'POST', url: '/meshes', headers: { host: 'evil.example' } });
    assert.deepEqual([statusCode, headers.allow], [403, undefined]);
  });
});
