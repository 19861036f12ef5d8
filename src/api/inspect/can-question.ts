import { z } from 'zod';
import { invalid } from '../../errors.ts';
import type { Request } from '../../policy/decide/read-request.ts';
import { check } from '../../resource/schema/check-schema.ts';

/** What `POST /can` is asked. */
export interface CanRequest {
  readonly mesh: string;
  /** A REST name or a KRI. */
  readonly dataplane: string;
  readonly section: string | undefined;
  readonly request: Request;
}

const text = z.string().min(1).max(2048);
/** The body of `POST /can`. */
export const questionShape = z
  .strictObject({
    from: z.strictObject({
      spiffeId: text.optional(),
      spiffeIds: z.array(text).max(100).optional(),
      tags: z.record(z.string(), z.string()).optional(),
      mesh: text.optional(),
    }),
    to: z.strictObject({ mesh: text.optional(), dataplane: text, port: z.union([z.int().min(0).max(65_535), text]).optional() }),
    method: text.optional(),
    path: text.optional(),
  })
  .meta({ id: 'Question' });

/**
 * Reads the body of `POST /can`. Throws `invalid` with every problem.
 *
 *   {from: {spiffeId}, to: {mesh, dataplane, port}, method, path}
 *   {from: {spiffeIds}, ...}, {from: {tags, mesh}, ...}
 */
export function readQuestion(value: unknown): CanRequest {
  const { data, problems } = check(questionShape, value, []);
  if (!data) throw invalid(problems);
  const { from, to, method, path } = data;
  const mesh = to.mesh ?? 'default';
  const section = to.port === undefined ? undefined : String(to.port);
  return { mesh, dataplane: to.dataplane, section, request: { ...readClient(from), method, path } };
}

type CanSource = z.infer<typeof questionShape>['from'];

function readClient({ spiffeId, spiffeIds, tags, mesh }: CanSource): Request {
  const given = [spiffeId, spiffeIds, tags].filter((way) => way !== undefined);
  if (given.length !== 1) throw invalid([{ field: 'from', reason: 'must have one of `spiffeId`, `spiffeIds` and `tags`' }]);
  if (tags) return { tags, mesh };
  if (mesh !== undefined) throw invalid([{ field: 'from.mesh', reason: 'is for a client with `tags`: a SPIFFE ID says its trust domain' }]);
  return { spiffeIds: spiffeId === undefined ? (spiffeIds ?? []) : [spiffeId] };
}
