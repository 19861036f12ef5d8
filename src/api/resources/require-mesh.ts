import type { FastifyReply, FastifyRequest } from 'fastify';
import { meshExists } from '../../control/put/put-own.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { errorBody, NOT_FOUND } from '../http/error-answers.ts';
import type { Params } from './locate-resource.ts';

/** Before a route below `/meshes/:mesh`: 404 in Kuma's words for a mesh that is not there. */
export function inMesh({ store }: Plane) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (meshExists(store, (request.params as Params).mesh ?? '')) return done();
    void reply.code(404).send(errorBody(404, 'Failed to retrieve Mesh', NOT_FOUND, { code: 'not_found' }));
  };
}
