import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { errorBody } from '../http/error-answers.ts';
import { described } from '../openapi/operation.ts';
import { PATH } from './watch-question.ts';

/**
 * What the path says to whoever asks without an upgrade; and what it is, for the OpenAPI document, which knows no
 * WebSockets.
 */
export function addWatchRoute(app: FastifyInstance): void {
  const operation = described('Could not watch', {
    id: 'watch',
    tag: 'Resources',
    summary: 'Watch what changes, over a WebSocket',
    description: DESCRIPTION,
    query: {
      type: z.string().describe('Resources of this kind alone'),
      mesh: z.string().describe('Of this mesh alone'),
      kri: z.string().describe('This resource alone'),
      since: z
        .string()
        .describe('The position of the last message that was seen; or `now`, or a revision of this store. Without it, everything as it is'),
    },
    answers: { 101: { contentType: 'application/json', description: 'A WebSocket, of which each message is a text of JSON' } },
    refusals: [404, 426],
  });
  app.get(PATH, operation, (_request, reply) => {
    const detail = 'this path is a WebSocket: the request must ask for an upgrade';
    return reply
      .code(426)
      .header('upgrade', 'websocket')
      .send(errorBody(426, 'Upgrade Required', detail, { code: 'invalid' }));
  });
}

const DESCRIPTION = `Each message has an \`op\`:
- \`put\` and \`delete\`: a resource is as \`resource\` says now, or gone, with \`kri\`, \`type\`, \`mesh\`, \`name\`, \`revision\` and \`position\`. What
  changed several times comes once, as it is at last; no key comes twice in one revision.
- \`bookmark\`: nothing else has changed up to this \`position\`.
- \`reset\`: forget what you have; everything that there is follows, then changes. It comes first without \`since\`, and where a position can't be
  gone on from (\`reason\`): it is of another store, of what a restore undid, or older than what is known of deletions.

A client that lost its connection asks again with the last \`position\` that it got, and misses and repeats nothing.`;
