import { z } from 'zod';

/** The query parameters that several routes have. */

export const PAGING = {
  size: z.int().min(1).max(1000).describe('Items in a page, 100 if not said'),
  offset: z.int().min(0).max(999_999_999_999_999).describe('How many items to pass over'),
} as const;

/** What every list of resources can be asked for (src/api/http/paged-collection.ts). */
export const LISTING = {
  ...PAGING,
  name: z.string().describe('A part of the name'),
  filter: z.record(z.string().regex(/^labels\../), z.string()).describe('`filter[labels.<key>]=value`: each of them must hold'),
} as const;

export const FORMAT = { format: z.enum(['universal', 'kubernetes', 'k8s']).describe('Which of the two formats the answer has') } as const;

/** What a write may be made for. Answers to GET and PUT of one resource have its tag in `ETag`. */
export const PRECONDITIONS = {
  'If-Match': z.string().describe('The ETag that the resource must still have, several, or `*`: it must be there'),
  'If-None-Match': z.string().describe('`*`: it must not be there yet'),
} as const;

/** What the parameters in paths are. */
export const IN_PATH: Readonly<Record<string, z.ZodType>> = {
  mesh: z.string().describe('The mesh'),
  name: z.string().describe('The name here; where there are namespaces, `<name>.<namespace>`'),
  kri: z.string().describe('The KRI'),
  id: z.string().describe('The ID'),
};
