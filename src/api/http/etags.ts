import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid, MeridianError } from '../../errors.ts';
import type { Reader, Row } from '../../resource/store/store.ts';

/**
 * The opaque tag of a resource as it is now: another one after each change, a copy's rendering included. The time is in
 * it since a store that was restored gives its revisions out again.
 */
export function etagOf(store: Reader, { resource, revision }: Row): string {
  const { store: id, term } = store.head();
  const seen = JSON.stringify([id, term, revision, resource.key, resource.modificationTime]);
  return `"${hash('sha256', seen).slice(0, 16)}"`;
}

/**
 * Refuses a write that was made for another state of the resource: `If-Match: <tag>, ...` (or `*`: it is there),
 * `If-None-Match: *` (it is not there). Ask in the commit that writes: nothing comes between.
 * Throws `precondition_failed`, and `invalid` for a header that is no list of tags.
 */
export function requireMatch({ headers }: FastifyRequest, store: Reader, find: () => Row | undefined): void {
  const wanted = tagsOf('If-Match', headers['if-match']);
  const unwanted = tagsOf('If-None-Match', headers['if-none-match']);
  if (!wanted && !unwanted) return;
  const row = find();
  const tag = row && etagOf(store, row);
  if (wanted && !matches(wanted, tag)) throw stale(row ? 'the resource was changed since' : 'the resource is not there');
  if (unwanted && matches(unwanted, tag)) throw stale('the resource is there already');
}

const READS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Refuses a write with a precondition where nothing looks at it: whoever sends one relies on it. `POST /apply` writes
 * many resources, and there is one tag for each.
 */
export function refuseUnseenConditions(app: FastifyInstance): void {
  app.addHook('preHandler', async ({ method, headers, routeOptions }) => {
    if (READS.includes(method)) return;
    const seen = Object.keys(routeOptions.config.operation?.headers ?? {});
    const unseen = ['If-Match', 'If-None-Match'].filter((name) => headers[name.toLowerCase()] !== undefined && !seen.includes(name));
    if (unseen.length === 0) return;
    const problems = unseen.map((field) => ({ field, reason: 'is for PUT and DELETE of one resource: here nothing would look at it' }));
    throw new MeridianError('invalid', 'a precondition that nothing would look at', {
      problems,
      hint: 'leave it out, or PUT each resource with its own ETag',
    });
  });
}

function stale(message: string): MeridianError {
  return new MeridianError('precondition_failed', message, {
    hint: 'get it again, and write with the ETag of that answer as If-Match',
  });
}

const ANY = '*';

/** We never make weak tags, so they match nothing. */
function tagsOf(header: string, value: string | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (value.trim() === ANY) return [ANY];
  const tags = value.split(',').map((tag) => tag.trim());
  if (tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]*"$/.test(tag))) return tags;
  throw invalid([{ field: header, reason: 'must be * or a list of tags in quotes, as an ETag gives them' }]);
}

/**
 * Whether a list of tags, as a header has it, names this one. A header that is none names nothing: a read is answered
 * then. Weak tags count (RFC 9110, 13.1.2).
 */
export function matchesTag(header: string, tag: string): boolean {
  return header.trim() === ANY || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);
}

function matches(tags: readonly string[], tag: string | undefined): boolean {
  return tag !== undefined && (tags.includes(ANY) || tags.includes(tag));
}
