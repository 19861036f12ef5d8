/**
 * The closed set of reasons for which Meridian refuses or fails. Each maps to one HTTP status
 * (src/api/http/error-answers.ts).
 */
export const ERROR_CODES = [
  'invalid', // the input is wrong; `problems` says where and why
  'not_found', // no such resource, mesh or zone
  'conflict', // the write lost against another one, or would break something that exists
  'precondition_failed', // what was to be written is not as the writer last saw it (If-Match, If-None-Match)
  'read_only', // this control plane does not own the resource
  'too_large', // a resource or a body is larger than what can be carried
  'unauthorized', // who is asking is not known
  'forbidden', // who is asking may not
  'rate_limited', // who is asking asks too often; try again in `retryAfter` seconds
  'unavailable', // a part that is needed (NATS, the store) is not there now; try again
  'diverged', // a store was restored or lost: an operator's word is needed (`meridianctl recover`)
  'internal', // a bug of ours
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One thing that is wrong with a document: where (a path like `spec.to[0].targetRef.kind`) and why. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
}

/** What an error may say beyond its code and message. */
export interface ErrorDetails {
  readonly problems?: readonly Problem[];
  /** What the reader can do about it: one sentence. */
  readonly hint?: string;
  /** After how many seconds it is worth trying again. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

/** The only error class of Meridian. The message is one sentence without a full stop; `hint` says what to do. */
export class MeridianError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly Problem[];
  readonly hint: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'MeridianError';
    this.code = code;
    this.problems = details.problems ?? [];
    this.hint = details.hint;
    this.retryAfter = details.retryAfter;
  }
}

/** A refusal of a document, with all its problems at once. The message repeats the first one. */
export function invalid(problems: readonly Problem[], hint?: string): MeridianError {
  const first = problems[0];
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  const message = first ? `${first.field}: ${first.reason}${more}` : 'the document is not valid';
  return new MeridianError('invalid', message, hint === undefined ? { problems } : { problems, hint });
}

/** Turns anything that was thrown into a MeridianError; what is not ours becomes `internal`, with its cause kept. */
export function asMeridianError(thrown: unknown): MeridianError {
  if (thrown instanceof MeridianError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new MeridianError('internal', message, { cause: thrown });
}
