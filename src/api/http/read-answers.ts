import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { stringify } from 'yaml';
import { matchesTag } from './etags.ts';
import { errorBody } from './error-answers.ts';
import { JSON_TYPE, YAML_TYPE } from './request-bodies.ts';

/** What any answer to a read can be asked for (RFC 9110): the head alone, nothing if it is unchanged, YAML. */

/** An answer of this size takes some 50 ms to be written as YAML, and nothing else is done meanwhile. */
const MOST_YAML_BYTES = 128 * 1024;

/** For Fastify's `rewriteUrl`: HEAD is served by the route of GET; Node sends no body for it. */
export function headAsGet(request: IncomingMessage): string {
  if (request.method === 'HEAD') request.method = 'GET';
  return request.url ?? '';
}

export function addReadAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (isUnchanged(request, reply)) {
      void reply.code(304).removeHeader('content-type').removeHeader('content-length');
      return '';
    }
    return wantsYaml(request) && isJsonAnswer(reply) ? toYaml(reply, String(payload)) : payload;
  });
}

/** Whether the client has what would be sent: `If-None-Match` names its tag. */
function isUnchanged({ method, headers }: FastifyRequest, reply: FastifyReply): boolean {
  const [tag, known] = [reply.getHeader('etag'), headers['if-none-match']];
  return method === 'GET' && reply.statusCode === 200 && typeof tag === 'string' && known !== undefined && matchesTag(known, tag);
}

/**
 * Whether a client says that it prefers YAML: it names it, and JSON not before it.
 *
 *   application/yaml, application/json;q=0.5  ->  yes
 *   application/json, application/yaml        ->  no
 */
function wantsYaml({ headers: { accept = '' } }: FastifyRequest): boolean {
  const [yaml, json] = [accept.search(/\b(?:application|text)\/(?:x-)?yaml\b/i), accept.indexOf(JSON_TYPE)];
  return yaml >= 0 && (json < 0 || yaml < json);
}

function isJsonAnswer(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type') ?? '').startsWith(JSON_TYPE);
}

function toYaml(reply: FastifyReply, text: string): string {
  void reply.removeHeader('content-length');
  if (Buffer.byteLength(text) <= MOST_YAML_BYTES) {
    void reply.type(`${YAML_TYPE}; charset=utf-8`);
    return stringify(JSON.parse(text), { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  }
  void reply.code(406);
  const detail = `an answer of more than ${MOST_YAML_BYTES / 1024} KiB is not written as YAML`;
  return JSON.stringify(errorBody(406, 'Not Acceptable', detail, { code: 'too_large', hint: 'ask for JSON, or for fewer with size=' }));
}
