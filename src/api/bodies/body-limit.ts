import { Readable } from 'node:stream';
import type { preParsingAsyncHookHandler } from 'fastify';
import { MeridianError } from '../../errors.ts';
import type { Place } from '../../resource/resource.ts';
import { principalOf } from '../auth/principal.ts';
import { mayAct } from '../auth/rights.ts';
import { MAX_APPLY_BYTES, MAX_ASKED_BYTES } from '../http/request-bodies.ts';

/**
 * What an apply may have, by who asks: whoever may write here, or only ask what a write would do. It is refused before
 * it is read where its length is told, else as soon as it is longer. Throws `too_large`.
 */
export function limitApply(place: Place): preParsingAsyncHookHandler {
  return async (request, reply, payload) => {
    const limit = mayAct(principalOf(request), 'operate', place) ? MAX_APPLY_BYTES : MAX_ASKED_BYTES;
    const told = request.headers['content-length'];
    if (told === undefined) return Readable.from(upTo(limit, payload as Readable));
    if (Number(told) <= limit) return payload;
    // The rest of the body would be taken for another request.
    void reply.header('connection', 'close');
    throw tooLarge(limit);
  };
}

async function* upTo(limit: number, payload: Readable): AsyncGenerator<Buffer, void> {
  let received = 0;
  // The socket stays: it has to carry the answer.
  for await (const chunk of payload.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > limit) throw tooLarge(limit);
    yield chunk;
  }
}

function tooLarge(limit: number): MeridianError {
  const hint =
    limit === MAX_APPLY_BYTES
      ? 'divide it into several requests'
      : 'whoever may write here may send 16 MiB; divide it into several requests';
  return new MeridianError('too_large', `the body is larger than ${limit / 1024 / 1024} MiB`, { hint });
}
