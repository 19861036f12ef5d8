import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { isGlobal } from '../../src/control/plane/plane.ts';
import { kindOf } from '../../src/resource/kinds.ts';
import { parseDocuments } from '../../src/resource/documents/parse-documents.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { DOCUMENTS, EXAMPLES } from './fuzz-examples.ts';
import { type DescribedApi, fuzzed, type FuzzRequest } from './fuzz-requests.ts';
import { type TestedApi, ask, EAST } from './harness.ts';
import { wholeApi } from './shipped.ts';
import { writeDocuments } from '../harness/write-drafts.ts';

/** Requests for each operation. `MERIDIAN_FUZZ_RUNS=150` are 100,000 in about ten minutes. */
const RUNS = Number(process.env.MERIDIAN_FUZZ_RUNS ?? 2);

/** Something to find, whatever was deleted meanwhile: of every kind, whoever may write it. */
function seed({ plane }: TestedApi): void {
  const documents = parseDocuments(DOCUMENTS.map((document) => JSON.stringify(document)).join('\n---\n'));
  const here = isGlobal(plane.place) ? 'global' : 'zone';
  const isOurs = ({ draft }: (typeof documents)[number]) => draft !== undefined && kindOf(draft.type).writtenBy[here];
  writeDocuments(
    { ...plane, place: isGlobal(plane.place) ? EAST : GLOBAL },
    documents.filter((document) => !isOurs(document)),
  );
  writeDocuments(plane, documents.filter(isOurs));
}

/** Answered as the document says, and never by a fault of ours. */
async function answered(api: TestedApi, request: FuzzRequest): Promise<void> {
  if (request.method === 'DELETE') seed(api);
  const { statusCode, body } = await api.app.inject(request as InjectOptions);
  assert.ok(statusCode < 500, body.slice(0, 500));
  assert.deepEqual([api.broken, api.errors], [[], []]);
}

describe('whatever the OpenAPI document makes one ask', () => {
  for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST })) {
    const scope = new Scope();
    after(() => scope.close());
    const api = wholeApi(scope, place);
    let document: DescribedApi;
    before(async () => {
      seed(api);
      document = (await ask(api, 'GET', '/openapi.json')).body as DescribedApi;
    });

    it(`is answered at ${title}, by every operation`, { timeout: 60_000 + RUNS * 60_000 }, async () => {
      for (const { id, requests } of fuzzed(document, EXAMPLES)) {
        await fc.assert(
          fc.asyncProperty(fc.constant(id), requests, (_, request) => answered(api, request)),
          { numRuns: RUNS, includeErrorInReport: true },
        );
      }
    });
  }
});
