import type { z } from 'zod';

/** The chapters of the document. */
export const TAGS = ['Resources', 'Inspection', 'Decisions', 'Zones and sync', 'Security', 'Control plane'] as const;

/** An answer that is no JSON. */
interface OtherMedia {
  readonly contentType: string;
  readonly description: string;
}

/** The description of a route for readers of the OpenAPI document. Path parameters are in its URL. */
export interface Operation {
  /** Unique, a verb and what it is about: `listMeshTimeouts`. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: (typeof TAGS)[number];
  /** Query parameters, each optional. A list may come several times. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** Headers of the request, each optional. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  /** The value of the body, in JSON or YAML. */
  readonly body?: z.ZodType;
  /** The body may be left out. */
  readonly bodyOptional?: boolean;
  /**
   * What it answers by status when it does what it is asked. Use `z.strictObject`: a test refuses what is not
   * described.
   */
  readonly answers: Readonly<Record<number, z.ZodType | OtherMedia>>;
  /**
   * Statuses of refusals beyond those that any such route may give (src/api/openapi/error-responses.ts). Each has the
   * body of an error.
   */
  readonly refusals?: readonly number[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation;
    /** Why a route is not in the document. */
    undocumented?: string;
  }
}

/**
 * The options of a route that is in the document. `title`: the title of its errors. A test refuses a route without
 * them.
 *
 *   app.get('/_audit', described('Could not retrieve resources', { id: 'listAudit', ... }), (request) => ...)
 */
export function described(
  title: string,
  operation: Operation,
): { readonly config: { readonly title: string; readonly operation: Operation } } {
  return { config: { title, operation } };
}

/** The same, of a route whose body is documents: a large one is read in a thread (src/api/bodies). */
export function describedDocuments(title: string, operation: Operation) {
  return { config: { ...described(title, operation).config, documents: true } } as const;
}
