import type { FastifyReply, FastifyRequest } from 'fastify';
import { MeridianError } from '../../errors.ts';
import type { WarningContext } from '../../control/write/write-warnings.ts';
import { isObject } from '../../resource/field-path.ts';
import type { Kind } from '../../resource/kinds.ts';
import type { ReadDocument } from '../../resource/documents/read-documents.ts';
import { toUniversal } from '../../resource/documents/render-forms.ts';
import type { ApiOptions } from '../api-options.ts';
import { type Bodies, goneOf } from '../bodies/read-body.ts';
import { NOT_FOUND } from '../http/error-answers.ts';
import { locate, type Params } from './locate-resource.ts';
import { putDocument } from './put-resource.ts';
import { refuseReadOnlyKind } from './read-only-kinds.ts';

/** A patch is made anew when somebody else's write came between: so often, and no more. */
const ATTEMPTS = 5;

/**
 * `PATCH`: changes what a JSON merge patch says of a resource (RFC 7396), and answers as `PUT` does. What it says is
 * judged as the whole document that comes out. Throws `not_found`, what `PUT` throws, and `conflict` where the resource
 * was changed again and again meanwhile.
 */
export function patchResource(options: ApiOptions, kind: Kind, beside: WarningContext, bodies: Bodies) {
  const { plane } = options;
  return async (request: FastifyRequest, reply: FastifyReply) => {
    refuseReadOnlyKind(plane.place, kind);
    const { mesh = '', name = '' } = request.params as Params;
    const patch = valueOf(await bodies.values(request, { gone: goneOf(reply), charge: () => {} }));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const row = locate(plane, kind, mesh, name);
      if (!row) throw new MeridianError('not_found', NOT_FOUND);
      const value = mergePatch(toUniversal(row.resource, plane.place), patch);
      const answer = await putDocument(options, { kind, mesh, name }, [{ value }], { request, reply, beside, from: row });
      if (answer) return answer;
    }
    throw new MeridianError('conflict', `the resource was changed ${ATTEMPTS} times meanwhile`, { hint: 'patch it again' });
  };
}

function valueOf([read, ...more]: readonly ReadDocument[]): unknown {
  if (!read || more.length > 0) throw new MeridianError('invalid', 'the body must be one merge patch');
  if ('problem' in read) throw new MeridianError('invalid', read.problem.reason, { problems: [read.problem] });
  if (isObject(read.value)) return read.value;
  throw new MeridianError('invalid', 'the body must be an object: a merge patch of the resource');
}

/**
 * RFC 7396: an object changes the fields that it has, null takes one away, everything else takes the place of what was.
 *
 *   {a: 1, b: {c: 2, d: 3}}, {a: null, b: {c: 4}}  ->  {b: {c: 4, d: 3}}
 */
function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map<string, unknown>(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}
