import type { FastifyReply, FastifyRequest } from 'fastify';
import { meshExists } from '../control/own.js';
import type { Plane } from '../control/plane.js';
import { errorBody, NOT_FOUND } from './errors.js';
import type { Params } from './names.js';

/** Before a route below `/meshes/:mesh`: 404 in Kuma's words for a mesh that is not there. */
export function inMesh({ store }: Plane) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (meshExists(store, (request.params as Params).mesh ?? '')) return done();
    void reply.code(404).send(errorBody(404, 'Failed to retrieve Mesh', NOT_FOUND, { code: 'not_found' }));
  };
}
