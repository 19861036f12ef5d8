import * as z from 'zod';
import { ALWAYS } from './check-schema.ts';
import { text } from './kind-fields.ts';
import { METHODS, pathReason } from './spiffe-matches.ts';

const HEADER_TYPES = ['Exact', 'Prefix', 'RegularExpression', 'Present', 'Absent'] as const;

const path = z
  .strictObject({ type: z.enum(['Exact', 'PathPrefix', 'RegularExpression']), value: text })
  .superRefine(({ type, value }, context) => {
    const reason = typeof value !== 'string' || value === '' || type === 'RegularExpression' ? undefined : pathReason(value);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['value'], message: reason });
  }, ALWAYS);

/** Names are compared in lower case, and no request has one with other characters. */
const headerName = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[a-z0-9!#$%&'*+\-.^_`|~]+$/, 'must be of lower-case letters, digits and "-": the name of a header as it is compared');

const header = z
  .strictObject({
    type: z.enum(HEADER_TYPES).optional(),
    name: headerName,
    value: z.string().optional(),
  })
  .superRefine(({ type, value }, context) => {
    // A type that is none has been told of; its value is looked at as a whole one.
    const reason = headerValueReason(HEADER_TYPES.find((one) => one === type) ?? 'Exact', value);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['value'], message: reason });
  }, ALWAYS);

function headerValueReason(type: (typeof HEADER_TYPES)[number], value: unknown): string | undefined {
  switch (type) {
    case 'Present':
    case 'Absent':
      return value === undefined ? undefined : `can't be used with type ${type}`;
    case 'RegularExpression':
      return value === undefined ? VALUE_MISSING : undefined;
    case 'Prefix':
      if (value === '') return 'must not be empty: for any value use `type: Present`';
      return spaceReason(value, (text) => text.trimStart());
    case 'Exact':
      return spaceReason(value, (text) => text.trim());
  }
}

const VALUE_MISSING = 'is missing: for any value use `type: Present`';

/** What no header of a request can hold, or loses on its way. */
function spaceReason(value: unknown, trimmed: (text: string) => string): string | undefined {
  if (value === undefined) return VALUE_MISSING;
  if (typeof value !== 'string') return undefined;
  return /[\x00-\x08\x0a-\x1f\x7f]/.test(value) || trimmed(value) !== value
    ? 'must have no control characters, and no spaces around it: no header has'
    : undefined;
}

const queryParam = z.strictObject({ type: z.enum(['Exact', 'RegularExpression']), name: text, value: z.string() });

/**
 * One of `matches`: all that it says must hold. As it is stored; an empty one, which Kuma has, is for every request.
 */
export const storedHttpMatch = z
  .strictObject({
    path: path.optional(),
    method: z.enum(METHODS).optional(),
    headers: z.array(header).optional(),
    queryParams: z.array(queryParam).optional(),
  })
  .superRefine(({ queryParams }, context) => {
    const names = (Array.isArray(queryParams) ? queryParams : []).map((param) => param?.name);
    for (const [index, name] of names.entries()) {
      if (name === undefined || names.indexOf(name) === index) continue;
      context.addIssue({ code: 'custom', path: ['queryParams', index, 'name'], message: 'is there twice: a request has one value of it' });
    }
  }, ALWAYS);

/** What may be written: a match that asks for nothing is more often one whose fields were lost. */
export const httpMatch = storedHttpMatch
  .superRefine((match, context) => {
    if (Object.values(match).some((asked) => !Array.isArray(asked) || asked.length > 0)) return;
    context.addIssue({ code: 'custom', message: 'is empty: for every request write `path: {type: PathPrefix, value: /}`' });
  })
  .meta({ id: 'HttpMatch' });
