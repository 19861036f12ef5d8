import * as z from 'zod';
import { type Kind, singularOf } from '../../resource/kinds.ts';
import { documentOf, shownOf } from './kind-schemas.ts';
import { described, describedDocuments } from './operation.ts';
import { FORMAT, LISTING, PRECONDITIONS } from './parameters.ts';
import { listOf, UNCHANGED } from './common-shapes.ts';

const tag = 'Resources';

const written = z
  .strictObject({
    warnings: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('What may not do as expected: dangling references, what is deprecated, what is not enforced'),
  })
  .meta({ id: 'Written' });

const patchShape = z.record(z.string(), z.unknown()).meta({ id: 'MergePatch' });

/**
 * The options of the routes that each kind has, with Kuma's titles for what fails. `listAll` is of all meshes at once.
 */
export function kindOperations(kind: Kind) {
  const { type, plural } = kind;
  const one = singularOf(type);
  const many = plural.replaceAll(' ', '');
  const list = { tag, query: { ...LISTING, ...FORMAT }, answers: { 200: listOf(shownOf(kind)), ...UNCHANGED } } as const;
  return {
    list: described('Could not retrieve resources', { ...list, id: `list${many}`, summary: `List ${plural}` }),
    listAll: described('Could not retrieve resources', { ...list, id: `listAll${many}`, summary: `List ${plural} of all meshes` }),
    get: described('Could not retrieve a resource', {
      id: `get${type}`,
      summary: `Get a ${one}`,
      tag,
      query: FORMAT,
      answers: { 200: shownOf(kind), ...UNCHANGED },
    }),
    put: describedDocuments('Could not process a resource', {
      id: `put${type}`,
      summary: `Create or replace a ${one}`,
      tag,
      body: documentOf(kind),
      answers: { 200: written, 201: written },
      headers: PRECONDITIONS,
      refusals: [405, 409, 412],
    }),
    patch: describedDocuments('Could not process a resource', {
      id: `patch${type}`,
      summary: `Change a ${one} by a JSON merge patch (RFC 7396)`,
      tag,
      body: patchShape,
      answers: { 200: written },
      headers: PRECONDITIONS,
      refusals: [405, 409, 412],
    }),
    delete: described('Could not delete a resource', {
      id: `delete${type}`,
      summary: `Delete a ${one}`,
      tag,
      answers: { 200: z.strictObject({}) },
      headers: PRECONDITIONS,
      refusals: [405, 409, 412],
    }),
  };
}
