import type { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { formatPath, isObject, type Path } from '../field-path.ts';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];
type Issue = z.core.$ZodIssue;

export type SchemaResult<T> =
  | { readonly data: T; readonly problems: readonly [] }
  | { readonly data: undefined; readonly problems: readonly Problem[] };

/**
 * Checks a value against a schema. In: where the value stands. Out: the data, or all problems with their paths in our
 * words.
 */
export function check<T>(schema: z.ZodType<T>, value: unknown, path: Path): SchemaResult<T> {
  const result = schema.safeParse(value, { error: reason });
  if (result.success) return { data: result.data, problems: [] };
  return { data: undefined, problems: result.error.issues.flatMap((issue) => toProblems(issue, path)) };
}

/** For `superRefine`: run also when a field is wrong already, so that all problems are told at once. */
export const ALWAYS = { when: ({ value }: z.core.ParsePayload): boolean => isObject(value) };

function toProblems(issue: Issue, base: Path): Problem[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: formatPath([...path, key]), reason: 'is not a known field' }));
  }
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => ({ field: formatPath(path), reason: inner.message }));
  return [{ field: formatPath(path), reason: issue.message }];
}

/** The words for a fault where the schema has none of its own. */
function reason(issue: RawIssue): string {
  if (issue.input === undefined) return 'is missing';
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- zod's codes are not ours to list
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at least ${issue.minimum}` : 'must not be empty';
    case 'too_big':
      return issue.origin === 'number' || issue.origin === 'int' ? `must be at most ${issue.maximum}` : `is longer than ${issue.maximum}`;
    default:
      return 'is not valid';
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};
