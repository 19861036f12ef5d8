import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { type Operation, TAGS } from './operation.js';
import { IN_PATH } from './parameters.js';
import { refusalsOf } from './refusals.js';
import { type Json, type Schemas, sorted, toJsonSchemas } from './schemas.js';
import { errorShape } from './shapes.js';

/** A route that is in the document. */
export interface DescribedRoute {
  /** In capitals. */
  readonly method: string;
  /** As Fastify has it: `/meshes/:mesh`. */
  readonly url: string;
  readonly operation: Operation;
}

/** The OpenAPI 3.1 document of some routes. `version`: Meridian's. */
export function openApiDocument(routes: readonly DescribedRoute[], version: string): Json {
  const schemas = toJsonSchemas([errorShape, ...routes.flatMap(schemasOf)]);
  const statuses = new Set(routes.flatMap(({ url, operation }) => refusalsOf(url, operation)));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Meridian',
      version,
      description: "The REST API of Meridian's control planes: Kuma's, and what Meridian adds to it.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, {}],
    tags: TAGS.map((name) => ({ name })),
    paths: pathsOf(routes, schemas),
    components: {
      schemas: schemas.components,
      responses: Object.fromEntries(
        [...statuses].sort((a, b) => a - b).map((status) => [String(status), jsonAnswer(status, schemas.of(errorShape))]),
      ),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token. Whoever asks from the same machine needs none.' },
      },
    },
  };
}

function schemasOf({ url, operation: { query = {}, headers = {}, body, answers } }: DescribedRoute): z.ZodType[] {
  const given = [...Object.values(answers)].filter((answer) => answer instanceof z.ZodType);
  const inPath = namesIn(url).map(inPathSchema);
  return [...inPath, ...Object.values(query), ...Object.values(headers), ...(body ? [body] : []), ...given];
}

/** `/meshes/:mesh/zones` -> `mesh`. */
function namesIn(url: string): string[] {
  return [...url.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name);
}

const SEGMENT = z.string();

function inPathSchema(name: string): z.ZodType {
  return IN_PATH[name] ?? SEGMENT;
}

function pathsOf(routes: readonly DescribedRoute[], schemas: Schemas): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const url = route.url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    paths[url] = { ...paths[url], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return sorted(paths);
}

function operationOf({ url, operation }: DescribedRoute, schemas: Schemas): Json {
  const { id, summary, description, tag, body, bodyOptional = false, answers } = operation;
  const refusals = refusalsOf(url, operation).map((status) => [String(status), { $ref: `#/components/responses/${status}` }] as const);
  const good = Object.entries(answers).map(([status, answer]) => [status, answerOf(Number(status), answer, schemas)] as const);
  const parameters = parametersOf(url, operation, schemas);
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: !bodyOptional, content: contentOf(schemas.of(body), 'application/json', 'application/yaml') } }
      : {}),
    responses: Object.fromEntries([...good, ...refusals]),
  };
}

function parametersOf(url: string, { query = {}, headers = {} }: Operation, schemas: Schemas): Json[] {
  return [
    ...namesIn(url).map((name) => parameter('path', name, inPathSchema(name), schemas)),
    ...Object.entries(query).map(([name, schema]) => parameter('query', name, schema, schemas)),
    ...Object.entries(headers).map(([name, schema]) => parameter('header', name, schema, schemas)),
  ];
}

function parameter(where: 'path' | 'query' | 'header', name: string, given: z.ZodType, schemas: Schemas): Json {
  const { description, ...schema } = schemas.of(given);
  return {
    name,
    in: where,
    required: where === 'path',
    ...(description === undefined ? {} : { description }),
    // `filter[labels.app]=web`
    ...(where === 'query' && schema.type === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
  };
}

function answerOf(status: number, answer: Operation['answers'][number], schemas: Schemas): Json {
  if (answer instanceof z.ZodType) return jsonAnswer(status, schemas.of(answer));
  return { description: answer.description, ...(answer.contentType === '' ? {} : { content: contentOf({}, answer.contentType) }) };
}

function jsonAnswer(status: number, schema: Json): Json {
  return { description: STATUS_CODES[status] ?? String(status), content: contentOf(schema, 'application/json') };
}

function contentOf(schema: Json, ...types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
