import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { KINDS } from '../../src/resource/kinds.ts';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { type TestedApi, ask, EAST, newApi, timeout } from './harness.ts';
import { SAMPLES } from './samples.ts';

const RUNS = 400;
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'] as const;
const TYPES = ['application/json', 'application/yaml', 'application/json; charset=utf-8', 'text/plain', 'multipart/form-data', ';', ''];

/** What paths of this API are made of, and what they are not. */
const segment = fc.oneof(
  fc.constantFrom(
    'meshes',
    'default',
    '_kri',
    '_explicit',
    '_ledger',
    '_sync',
    '_overview',
    '_layout',
    '_policies',
    '_rules',
    '_inbounds',
    '_resources',
    'policies',
    'can',
    'zones',
    'zones+insights',
    'apply',
    '_recover',
    'a',
    'a.ns',
  ),
  fc.constantFrom(...KINDS.map(({ path }) => path)),
  fc.constantFrom(
    '..',
    '.',
    '',
    '%',
    '%00',
    '%ff',
    '%2e%2e',
    '%2F',
    '*',
    ':mesh',
    '__proto__',
    'constructor',
    'kri_mt_default___a_',
    'kri_',
    'kri______',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }).map(encodeURIComponent),
);
const parameter = fc.tuple(
  fc.constantFrom(
    'size',
    'offset',
    'name',
    'format',
    'type',
    'mesh',
    'peer',
    'dryRun',
    'filter[labels.a]',
    'filter[',
    'filter[]',
    '__proto__',
    '%',
  ),
  fc.oneof(fc.constantFrom('1', '-1', '0', '1e9', 'NaN', '9007199254740993', '', '%', '%00', '[]'), fc.string().map(encodeURIComponent)),
);
const url = fc
  .tuple(fc.array(segment, { maxLength: 6 }), fc.array(parameter, { maxLength: 3 }))
  .map(([path, query]) => `/${path.join('/')}${query.length > 0 ? `?${query.map((pair) => pair.join('=')).join('&')}` : ''}`);

/** JSON of any kind, among it documents with one part of theirs gone wrong. */
const value = fc.jsonValue({ maxDepth: 4 });
const document = fc
  .tuple(
    fc.constantFrom(...KINDS),
    fc.constantFrom('type', 'mesh', 'name', 'labels', 'spec', 'status', 'kri', 'apiVersion', 'kind', 'metadata'),
    value,
  )
  .map(([{ type }, field, wrong]) => ({ ...timeout('a'), type, ...SAMPLES[type], [field]: wrong }));
const body = fc.oneof(
  fc.constant(undefined),
  value.map((json) => JSON.stringify(json)),
  document.map((json) => JSON.stringify(json)),
  fc.array(fc.oneof(document, value), { maxLength: 4 }).map((documents) => documents.map((json) => JSON.stringify(json)).join('\n---\n')),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('---', '&a [*a]', 'a: &a b\n<<: *a', '!!binary x', '['.repeat(5000), '{"a":'.repeat(5000), '\ufeff{}', '"\\ud800"'),
);

describe('whatever is asked', () => {
  for (const [title, place] of Object.entries({ global: GLOBAL, east: EAST })) {
    describe(`at ${title}`, () => {
      const scope = new Scope();
      let api: TestedApi;
      before(() => {
        api = newApi(scope, place);
      });
      after(() => scope.close());

      /** Answered, in Kuma's shape if it was refused, and never by a fault of ours. */
      async function answered(...request: Parameters<typeof ask> extends [unknown, ...infer Rest] ? Rest : never): Promise<void> {
        const { status, body: answer } = await ask(api, ...request);
        assert.ok(status < 500, JSON.stringify(answer));
        if (status >= 400 && request[0] !== 'HEAD') assert.deepEqual([answer.type, answer.status], ['/std-errors', status]);
        assert.deepEqual(api.errors, []);
      }

      it('is answered, whatever the path', async () => {
        await fc.assert(
          fc.asyncProperty(fc.constantFrom(...METHODS), url, (method, path) => answered(method, path)),
          { numRuns: RUNS },
        );
      });

      it('is answered, whatever the body', async () => {
        const target = fc.constantFrom<['PUT' | 'POST', string]>(
          ['POST', '/apply'],
          ['POST', '/_recover'],
          ['POST', '/can'],
          ...KINDS.map(({ path, scope: where }): ['PUT', string] => ['PUT', where === 'Mesh' ? `/meshes/default/${path}/a` : `/${path}/a`]),
        );
        await fc.assert(
          fc.asyncProperty(target, body, fc.constantFrom(...TYPES), ([method, path], text, type) =>
            answered(method, path, text, { 'content-type': type }),
          ),
          { numRuns: RUNS },
        );
      });

      it('is answered, whatever the headers', async () => {
        const header = fc.string({ maxLength: 30 });
        await fc.assert(
          fc.asyncProperty(header, header, header, (host, origin, accept) =>
            answered('GET', '/meshes', undefined, { host, origin, accept }),
          ),
          { numRuns: RUNS / 4 },
        );
      });
    });
  }
});
