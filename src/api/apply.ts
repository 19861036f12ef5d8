import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Document, dryRunDocuments, type Written, writeDocuments } from '../control/write.js';
import { invalid, MeridianError } from '../errors.js';
import type { ReadDocument } from '../resource/documents.js';
import { formatKri } from '../resource/key.js';
import { findKind } from '../resource/kinds.js';
import { parseDocument } from '../resource/parse.js';
import { isObject } from '../resource/path.js';
import type { Place } from '../resource/resource.js';
import { restName } from '../resource/rest-name.js';
import { addressOf } from './collection.js';
import { MAX_APPLY_BYTES } from './bodies.js';
import { valuesOf } from './documents.js';
import { withoutRestName } from './names.js';
import { anyDocument } from './openapi/kinds.js';
import { described, type Operation } from './openapi/operation.js';
import { kri } from './openapi/shapes.js';
import type { ApiOptions } from './options.js';

const result = z.strictObject({
  type: z.string(),
  mesh: z.string(),
  name: z.string(),
  kri,
  outcome: z.enum(['created', 'changed', 'unchanged']),
});

const operation: Operation = {
  id: 'apply',
  summary: 'Create or replace many resources, all or none',
  tag: 'Resources',
  query: { dryRun: z.boolean().describe('Answer the same and change nothing') },
  body: z.union([anyDocument, z.array(anyDocument)]),
  answers: { 200: z.strictObject({ results: z.array(result) }) },
  refusals: [405, 409],
};

/**
 * `POST /apply`: many documents in either format, all or none. The problems of all documents come at once. `?dryRun=true` gives the same
 * answer and changes nothing.
 */
export function addApplyRoute(app: FastifyInstance, { plane, afterCommit }: ApiOptions): void {
  app.post('/apply', { bodyLimit: MAX_APPLY_BYTES, ...described('Could not process a resource', operation) }, (request) => {
    const documents = valuesOf(request).map((value) => toDocument(value, plane.place));
    if (documents.length === 0) throw new MeridianError('invalid', 'the body holds no document');
    const dryRun = isDryRun(addressOf(request).searchParams);
    const written = dryRun ? dryRunDocuments(plane, documents) : writeDocuments(plane, documents);
    if (!dryRun) afterCommit();
    return { results: written.map((one) => toResult(one, plane.place)) };
  });
}

/** A misspelt word must not write. */
function isDryRun(query: URLSearchParams): boolean {
  const value = query.get('dryRun') ?? 'false';
  if (value !== 'true' && value !== 'false') throw invalid([{ field: 'dryRun', reason: 'must be true or false' }]);
  return value === 'true';
}

function toDocument(read: ReadDocument, place: Place): Document {
  if ('problem' in read) return { problems: [read.problem] };
  const type = isObject(read.value) ? read.value.type : undefined;
  return parseDocument(withoutRestName(read.value, typeof type === 'string' ? findKind(type) : undefined, place));
}

function toResult({ key, outcome }: Written, place: Place) {
  const { type, mesh, name, namespace } = key;
  return { type, mesh, name: restName({ key, name, namespace }, place), kri: formatKri(key), outcome };
}
