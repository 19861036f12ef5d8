import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { isSameHead } from '../../control/plane/plane.ts';
import type { Head, Reader } from '../../resource/store/store.ts';
import { JSON_TYPE } from './request-bodies.ts';

/** Of all answers together. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Bytes that were sent for a request, and may be sent again. */
export type ListAnswers = (request: FastifyRequest, reply: FastifyReply, make: () => unknown) => FastifyReply;

/**
 * Remembers the bytes of lists while the store stays as it is: dashboards and scripts ask for the same ones again and
 * again, and rendering one takes twenty times as long as sending it. For answers that the store and the address (with
 * its host, which `next` repeats) determine; who asks is judged before. Where there is no room for all, those that were
 * not asked for longest are forgotten. The revision rises whenever a row changes, so no answer is older than the store.
 *
 *   GET /meshes    -> made, and kept
 *   GET /meshes    -> the same bytes
 *   PUT /meshes/a  -> revision + 1
 *   GET /meshes    -> made again
 */
export function rememberLists(store: Pick<Reader, 'head'>, most = MOST_BYTES): ListAnswers {
  // Those that were not asked for longest go: addresses that nobody asks for again keep no others out.
  const kept = new LRUCache<string, Buffer>({ maxSize: most, sizeCalculation: ({ length }, id) => length + id.length });
  // It is that of everything here: a list is unchanged as long as nothing is written.
  let tag = '';
  let head: Head | undefined;
  return ({ url, headers: { host = '' } }, reply, make) => {
    const now = store.head();
    if (!isSameHead(head, now)) {
      kept.clear();
      head = now;
      tag = `"${hash('sha256', JSON.stringify([now.store, now.term, now.revision])).slice(0, 16)}"`;
    }
    const place = `${host} ${url}`;
    const known = kept.get(place);
    const answer = known ?? Buffer.from(JSON.stringify(make()));
    if (!known) kept.set(place, answer);
    return reply.header('etag', tag).type(`${JSON_TYPE}; charset=utf-8`).send(answer);
  };
}
