import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Report } from '../../report.ts';
import { quote } from '../../resource/field-path.ts';
import { nearPath } from './near-path.ts';
import { asMeridianError, type ErrorCode, MeridianError, type Problem } from '../../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a failure of the route is called: Kuma has one title for each operation. */
    title?: string;
  }
}

/**
 * An error as Kuma writes it (test/reference/kumactl-conversations.json): `details` and `causes` repeat the others for
 * older clients. `code` and `hint` are ours; `detail` ends with the hint, for clients that know only that.
 */
export interface ErrorBody {
  readonly type: '/std-errors';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly invalid_parameters?: readonly Problem[];
  readonly details: string;
  readonly causes?: readonly { readonly field: string; readonly message: string }[];
  readonly code: ErrorCode;
  readonly hint?: string;
}

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  read_only: 405,
  conflict: 409,
  precondition_failed: 412,
  diverged: 409,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** Titles that hold whatever the operation was. */
const TITLE: Partial<Readonly<Record<ErrorCode, string>>> = {
  unauthorized: 'Unauthenticated',
  forbidden: 'Access Denied',
  rate_limited: 'Too Many Requests',
  internal: 'Internal Server Error',
  unavailable: 'Service Unavailable',
};

export const METHOD_NOT_ALLOWED = 'Method not allowed';
/** As Kuma says it, and no more: clients know it. */
export const NOT_FOUND = 'Not found';

/** A hundred thousand documents may each have some: nobody reads them all, and an answer must not outgrow its body. */
const MOST_PROBLEMS = 1_000;

/** The first of them, and how many more there are. */
function shortened(problems: readonly Problem[]): readonly Problem[] {
  const more = problems.length - MOST_PROBLEMS;
  return more <= 0
    ? problems
    : [...problems.slice(0, MOST_PROBLEMS), { field: '', reason: `and ${more} more problems, which are not told` }];
}

export type AnsweredError = Pick<MeridianError, 'code'> & Partial<Pick<MeridianError, 'problems' | 'hint'>>;

export function errorBody(status: number, title: string, detail: string, { code, problems = [], hint }: AnsweredError): ErrorBody {
  const listed = problems.length > 0;
  return {
    type: '/std-errors',
    status,
    title,
    detail,
    ...(listed ? { invalid_parameters: problems } : {}),
    details: detail,
    ...(listed ? { causes: problems.map(({ field, reason }) => ({ field, message: reason })) } : {}),
    code,
    ...(hint === undefined ? {} : { hint }),
  };
}

/**
 * The answer to whatever was thrown. `title` is that of the operation.
 *
 *   invalid, spec.to: is missing      -> 400 title, "Resource is not valid", [{field: spec.to, reason: is missing}]
 *   read_only, a copy (with problems) -> 400, as Kuma answers a wrong origin; a kind that is not written here -> 405
 */
export function toErrorBody(error: MeridianError, title: string): ErrorBody {
  const { code } = error;
  const problems = shortened(error.problems);
  const foreign = code === 'read_only' && problems.length > 0;
  const named = code === 'read_only' && !foreign ? METHOD_NOT_ALLOWED : (TITLE[code] ?? title);
  return errorBody(
    foreign ? 400 : STATUS[code],
    named,
    detailOf(error),
    code === 'internal' ? { code } : { code, problems, hint: error.hint },
  );
}

function detailOf({ code, message, problems, hint }: MeridianError): string {
  if (code === 'internal') return 'an internal error: the log of this control plane says more';
  // The message of `invalid()` repeats the first problem.
  const [first] = problems;
  const repeated = first !== undefined && message.startsWith(`${first.field}: ${first.reason}`);
  const detail = repeated ? 'Resource is not valid' : message;
  return hint === undefined ? detail : `${detail}: ${hint}`;
}

/** Turns everything that a route throws into Kuma's shape. A bug of ours is reported, and its text is not shown. */
export function errorHandler(report: Report) {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const title = request.routeOptions?.config?.title ?? 'Bad Request';
    const error = asMeridianError(thrown);
    const body = frameworkError(thrown, request) ?? toErrorBody(error, title);
    if (error.code === 'unauthorized') void reply.header('www-authenticate', 'Bearer');
    if (error.retryAfter !== undefined) void reply.header('retry-after', error.retryAfter);
    if (body.status >= 500) report('error', 'the API failed', { method: request.method, url: request.url, error: describe(thrown) });
    void reply.code(body.status).header('content-type', 'application/json').send(JSON.stringify(body));
  };
}

const SEND_TYPES = 'send application/json or application/yaml';

/** What Fastify refuses before a route runs: too large bodies, unknown content types, broken URLs. */
function frameworkError(thrown: unknown, { headers }: FastifyRequest): ErrorBody | undefined {
  if (thrown instanceof MeridianError || !(thrown instanceof Error) || !('statusCode' in thrown)) return undefined;
  const status = Number(thrown.statusCode);
  if (status < 400 || status >= 500) return undefined;
  const title = STATUS_CODES[status] ?? 'Bad Request';
  if (status === 415) {
    const type = quote((headers['content-type'] ?? '').slice(0, 100));
    return errorBody(status, title, `a body of the type ${type} is not read: ${SEND_TYPES}`, { code: 'invalid', hint: SEND_TYPES });
  }
  return errorBody(status, title, thrown.message.slice(0, 300), { code: status === 413 ? 'too_large' : 'invalid' });
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

export function sendNotFound({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = url.slice(0, 200).split('?', 1);
  const near = nearPath(path);
  const detail = `nothing is served at ${path}`;
  const hint = near === undefined ? 'GET /openapi.json lists what is' : `did you mean ${near}?`;
  return reply.code(404).send(errorBody(404, 'Page Not Found', `${detail}; ${hint}`, { code: 'not_found', hint }));
}
