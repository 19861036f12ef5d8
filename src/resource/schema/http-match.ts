import { z } from 'zod';
import { ALWAYS } from './check-schema.ts';
import { text } from './kind-fields.ts';
import { METHODS, pathReason } from './spiffe-matches.ts';

/** The types that compare with no value: whether the header is there. */
const WITHOUT_VALUE = ['Present', 'Absent'];

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
    type: z.enum(['Exact', 'Prefix', 'RegularExpression', 'Present', 'Absent']).optional(),
    name: headerName,
    value: z.string().optional(),
  })
  .superRefine(({ type, value }, context) => {
    const reason = headerValueReason(type ?? 'Exact', value);
    if (reason !== undefined) context.addIssue({ code: 'custom', path: ['value'], message: reason });
  }, ALWAYS);

function headerValueReason(type: string, value: unknown): string | undefined {
  if (WITHOUT_VALUE.includes(type)) return value === undefined ? undefined : `can't be used with type ${type}`;
  if (value === undefined) return 'is missing: for any value use `type: Present`';
  if (typeof value !== 'string' || type === 'RegularExpression') return undefined;
  if (type === 'Prefix' && value === '') return 'must not be empty: for any value use `type: Present`';
  // What no header of a request can hold, or loses on its way.
  return /[\x00-\x08\x0a-\x1f\x7f]/.test(value) || value.trimStart() !== value || (type === 'Exact' && value.trim() !== value)
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
