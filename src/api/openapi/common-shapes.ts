import { z } from 'zod';
import { ERROR_CODES } from '../../errors.ts';
import { anyObject } from '../../resource/schema/kind-fields.ts';

/** The shapes that several answers have. `meta({ id })` makes one a component of the document. */

const problem = z.strictObject({ field: z.string(), reason: z.string() });

/** Whatever is refused (errors.ts). */
export const errorShape = z
  .strictObject({
    type: z.literal('/std-errors'),
    status: z.int().min(400).max(599),
    title: z.string().min(1),
    detail: z.string().min(1),
    invalid_parameters: z.array(problem).min(1).optional(),
    details: z.string().min(1).describe('The same as `detail`, for older clients'),
    causes: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .min(1)
      .optional()
      .describe('The same as `invalid_parameters`, for older clients'),
    code: z.enum(ERROR_CODES).describe('Why, for programs'),
    hint: z.string().min(1).optional().describe('What the reader can do about it; `detail` ends with it too'),
  })
  .meta({ id: 'Error', description: 'Why a request was refused, and what is wrong with each field' });

export const kri = z
  .string()
  .meta({ id: 'Kri', description: 'Who a resource is: `kri_<short>_<mesh>_<zone>_<namespace>_<name>_<section>`' });

/** RFC 3339, UTC. */
export const time = z.string().meta({ id: 'Time', description: 'RFC 3339, UTC', format: 'date-time' });

export const labels = z.record(z.string(), z.string()).meta({ id: 'Labels' });

/** A list as Kuma writes it. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    total: z.int().min(0),
    items: z.array(item),
    next: z.string().nullable().describe('The address of the next page'),
  });
}

/** Who a resource is, in the answers that are ours (src/api/operate/describe-key.ts). */
export const keyFields = { kri, type: z.string(), mesh: z.string(), zone: z.string(), namespace: z.string(), name: z.string() };

/** A resource as inspection names it. */
export const metaShape = z
  .strictObject({ kri, labels: labels.optional(), mesh: z.string(), name: z.string(), type: z.string() })
  .meta({ id: 'ResourceMeta' });

/** What a policy configures, whatever object it is. */
export const conf = anyObject;
