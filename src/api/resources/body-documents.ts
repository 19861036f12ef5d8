import type { FastifyRequest } from 'fastify';
import { type ReadDocument, readDocuments } from '../../resource/documents/read-documents.ts';
import { isJson, parseJson, textOf } from '../http/request-bodies.ts';

/**
 * The documents of a body, in either YAML or JSON; a JSON list is one document for each of its items. Throws `invalid`.
 */
export function valuesOf(request: FastifyRequest): readonly ReadDocument[] {
  const text = textOf(request);
  if (!isJson(request)) return readDocuments(text);
  const value = parseJson(text);
  return Array.isArray(value) ? value.map((item: unknown) => ({ value: item })) : [{ value }];
}
