import type { FastifyInstance, FastifyRequest } from 'fastify';
import { asMeridianError, invalid, MeridianError } from '../../errors.ts';
import { quote } from '../../resource/field-path.ts';
import { jsonBeyond } from './json-size.ts';
import { repeatedKey } from './repeated-key.ts';

/** One resource: twice its largest size, for it may come indented. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Many documents at once, of whoever may write them. */
export const MAX_APPLY_BYTES = 16 * 1024 * 1024;
/** The same, of whoever may only ask what they would do. */
export const MAX_ASKED_BYTES = 1024 * 1024;

/**
 * Beyond this, documents are read in a thread of their own (src/api/bodies): on the loop, the worst text of this size
 * takes some 50 ms, and a usual one 10.
 */
const MAX_ON_LOOP = { json: 64 * 1024, yaml: 8 * 1024 } as const;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is documents: a large one stays bytes. */
    documents?: true;
  }
}

export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
/** RFC 7396. A patch is read as any JSON or YAML too. */
const PATCH_TYPE = 'application/merge-patch+json';

/**
 * Bodies reach the routes as text, large documents as bytes: JSON and YAML alone, all else is 415. No form of a web
 * page can send these without asking first.
 */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([JSON_TYPE, YAML_TYPE, PATCH_TYPE], { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = Buffer.from(body);
    const { headers } = request;
    const coding = headers['content-encoding'] ?? 'identity';
    if (coding.toLowerCase() !== 'identity') {
      done(new MeridianError('invalid', `a body in ${quote(coding)} is not read`, { hint: 'send it as it is, without content-encoding' }));
      return;
    }
    if (request.method !== 'PATCH' && typeOf(request) === PATCH_TYPE) {
      done(new MeridianError('invalid', 'a merge patch is for PATCH', { hint: `send a whole document, as ${JSON_TYPE}` }));
      return;
    }
    const isLarge = bytes.length > (isJson(request) ? MAX_ON_LOOP.json : MAX_ON_LOOP.yaml);
    if (isLarge && request.routeOptions.config.documents) {
      done(null, bytes);
      return;
    }
    try {
      done(null, decodeText(bytes));
    } catch (thrown) {
      done(asMeridianError(thrown));
    }
  });
}

/** Throws `invalid` for what is not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new MeridianError('invalid', 'the body is not UTF-8', { cause });
  }
}

export function isJson(request: FastifyRequest): boolean {
  const type = typeOf(request);
  return type === JSON_TYPE || type === PATCH_TYPE;
}

function typeOf({ headers }: FastifyRequest): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}

/** The text of a body. Throws `invalid` when there is none. */
export function textOf({ body }: FastifyRequest): string {
  if (typeof body === 'string' && body.trim() !== '') return body;
  throw new MeridianError('invalid', 'the request has no body');
}

/**
 * The value of a text of JSON. Throws `invalid` for a text that is not JSON or holds too much, and for a key that comes
 * twice: parsers differ on which one counts.
 */
export function parseJson(text: string): unknown {
  const tooMuch = jsonBeyond(text);
  if (tooMuch !== undefined) throw invalid([{ field: 'document', reason: tooMuch }]);
  const value = parse(text);
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw invalid([{ field: 'document', reason: `the key ${quote(repeated)} comes twice` }]);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(0, 200) : '';
    throw new MeridianError('invalid', `the body is not JSON (${reason})`, { cause });
  }
}
