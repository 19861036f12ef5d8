import type { FastifyReply, FastifyRequest } from 'fastify';
import { meshExists } from '../../control/put/put-own.ts';
import { isSameHead, type Plane } from '../../control/plane/plane.ts';
import type { Head } from '../../resource/store/store.ts';
import { errorBody, NOT_FOUND } from '../http/error-answers.ts';
import type { Params } from './locate-resource.ts';

/**
 * Before a route below `/meshes/:mesh`: 404 in Kuma's words for a mesh that is not there. One that was there still is
 * while nothing was written: asking SQLite each time would take a sixth of the time of a list.
 */
export function inMesh({ store }: Plane) {
  const there = new Set<string>();
  let head: Head | undefined;
  function isThere(mesh: string): boolean {
    const now = store.head();
    if (!isSameHead(head, now)) there.clear();
    head = now;
    if (there.has(mesh)) return true;
    const exists = meshExists(store, mesh);
    if (exists) there.add(mesh);
    return exists;
  }
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    if (isThere((request.params as Params).mesh ?? '')) return done();
    void reply.code(404).send(errorBody(404, 'Failed to retrieve Mesh', NOT_FOUND, { code: 'not_found' }));
  };
}
