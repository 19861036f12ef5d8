import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { GLOBAL } from '../../src/resource/resource.js';
import { Scope } from '../harness/scope.js';
import { type Described, fuzzed, type Request } from './fuzz-requests.js';
import { type Asked, ask, EAST, timeout } from './harness.js';
import { SAMPLES } from './samples.js';
import { wholeApi } from './shipped.js';

/** Requests for each operation. `MERIDIAN_FUZZ_RUNS=300` takes about ten minutes. */
const RUNS = Number(process.env.MERIDIAN_FUZZ_RUNS ?? 3);

/** Something to find, whatever was deleted meanwhile. */
async function seed(api: Asked): Promise<void> {
  const labelled = { 'k8s.kuma.io/namespace': 'ns' };
  const documents = [
    { type: 'Mesh', name: 'default' },
    ...['a', 'web'].flatMap((name) => [
      timeout(name),
      { type: 'MeshTrafficPermission', mesh: 'default', name, ...SAMPLES.MeshTrafficPermission },
      { type: 'Dataplane', mesh: 'default', name, ...SAMPLES.Dataplane },
      { type: 'Dataplane', mesh: 'default', name, labels: labelled, ...SAMPLES.Dataplane },
      { type: 'MeshService', mesh: 'default', name, ...SAMPLES.MeshService },
    ]),
  ];
  for (const document of documents) await ask(api, 'POST', '/apply', document);
}

/** Answered as the document says, and never by a fault of ours. */
async function answered(api: Asked, request: Request): Promise<void> {
  const { statusCode, body } = await api.app.inject(request as InjectOptions);
  assert.ok(statusCode < 500, body.slice(0, 500));
  assert.deepEqual([api.broken, api.errors], [[], []]);
}

describe('whatever the OpenAPI document makes one ask', () => {
  for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST })) {
    const scope = new Scope();
    after(() => scope.close());
    const api = wholeApi(scope, place);
    let document: Described;
    before(async () => {
      document = (await ask(api, 'GET', '/openapi.json')).body as Described;
    });

    it(`is answered at ${title}, by every operation`, { timeout: 60_000 + RUNS * 60_000 }, async () => {
      for (const { id, requests } of fuzzed(document)) {
        await seed(api);
        await fc.assert(
          fc.asyncProperty(fc.constant(id), requests, (_, request) => answered(api, request)),
          { numRuns: RUNS, includeErrorInReport: true },
        );
      }
    });
  }
});
