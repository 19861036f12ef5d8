import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { RouteOptions } from 'fastify';
import { GLOBAL } from '../../src/resource/resource.js';
import { Scope } from '../harness/scope.js';
import { apiOn, EAST, newApi } from './harness.js';

const scope = new Scope();
after(() => scope.close());

/** Every route that a control plane may have. */
function servedAt(place: typeof GLOBAL): readonly RouteOptions[] {
  const { plane } = newApi(scope, place);
  const issueProxyToken = () => assert.fail('nobody asks');
  return apiOn(scope, plane, undefined, '127.0.0.1', { issueProxyToken }).app.served;
}

describe('the routes', () => {
  for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST })) {
    it(`are all described at ${title}`, () => {
      const undescribed = servedAt(place)
        .filter(({ config }) => !config?.operation && !config?.refused && !config?.undocumented)
        .map(({ method, url }) => `${String(method)} ${url}: describe it with described() of src/api/openapi/operation.ts`);
      assert.deepEqual(undescribed, []);
    });
  }
});
