import type { FastifyReply, FastifyRequest } from 'fastify';
import { meshExists } from '../control/own.ts';
import type { Plane } from '../control/plane.ts';
import { errorBody, NOT_FOUND } from './errors.ts';
import type { Params } from './names.ts';

/** Before a route below `/meshes/:mesh`: 404 in Kuma's words for a mesh that is not there. */
export function inMesh({ store }: Plane) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (meshExists(store, (request.params as Params).mesh ?? '')) return done();
    void reply.code(404).send(errorBody(404, 'Failed to retrieve Mesh', NOT_FOUND, { code: 'not_found' }));
  };
}
