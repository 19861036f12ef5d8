import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Document } from '../../control/write/write-documents.ts';
import type { ReadDocument } from '../../resource/documents/read-documents.ts';
import type { Place } from '../../resource/resource.ts';
import { isJson, textOf } from '../http/request-bodies.ts';
import { BodyReader } from './body-reader.ts';
import { startBodyThread } from './body-thread.ts';
import { toDocument, valuesIn } from './documents-in.ts';

/** For whom a body is read. */
interface ReadFor {
  /** The client is gone. */
  readonly gone: AbortSignal;
  /** Called with the milliseconds that it took. */
  readonly charge: (took: number) => void;
}

/** Reads the documents of requests: small bodies at once, large ones in a thread. */
export interface Bodies {
  /** What is written. Throws `invalid`, `too_large`, `unavailable`. */
  values(request: FastifyRequest, of: ReadFor): Promise<readonly ReadDocument[]>;
  /** What is written, parsed. Throws the same. */
  documents(request: FastifyRequest, of: ReadFor): Promise<readonly Document[]>;
  close(): void;
}

/** `now`: milliseconds, monotonic. */
export function createBodies(place: Place, now: () => number, reader = new BodyReader(() => startBodyThread(place))): Bodies {
  const timed = <T>({ charge }: ReadFor, read: () => T): T => {
    const started = now();
    try {
      return read();
    } finally {
      charge(now() - started);
    }
  };
  return {
    async values(request, of) {
      const { body } = request;
      if (body instanceof Uint8Array) return reader.values({ bytes: body, isJson: isJson(request), ...of });
      return timed(of, () => [...valuesIn(textOf(request), isJson(request))]);
    },
    async documents(request, of) {
      const { body } = request;
      if (body instanceof Uint8Array) return reader.documents({ bytes: body, isJson: isJson(request), ...of });
      return timed(of, () => Array.from(valuesIn(textOf(request), isJson(request)), (read) => toDocument(read, place)));
    },
    close: () => reader.close(),
  };
}

/** Aborted when the client goes away before it has its answer. */
export function goneOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => raw.writableFinished || controller.abort());
  return controller.signal;
}
