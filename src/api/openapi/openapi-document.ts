import { STATUS_CODES } from 'node:http';
import * as z from 'zod';
import { JSON_TYPE, YAML_TYPE } from '../http/request-bodies.ts';
import { describeParameter, type Parameter, parametersOf, sharedParameters, templateOf, useOf } from './in-request.ts';
import { type Operation, TAGS } from './operation.ts';
import { refusalsOf } from './error-responses.ts';
import { type JsonSchema, type Schemas, sorted, toJsonSchemas } from './zod-schemas.ts';
import { errorShape } from './common-shapes.ts';
import { EXAMPLES } from './examples.ts';

/** A route that is in the document. */
export interface DescribedRoute {
  /** In capitals. */
  readonly method: string;
  /** As Fastify has it: `/meshes/:mesh`. */
  readonly url: string;
  readonly operation: Operation;
  /** Who serves it, where it is not every control plane. */
  readonly servedBy?: 'global' | 'zone';
}

/** The OpenAPI 3.1 document of some routes. `version`: Meridian's. */
export function openApiDocument(routes: readonly DescribedRoute[], version: string): JsonSchema {
  const schemas = toJsonSchemas([errorShape, ...routes.flatMap(schemasOf)]);
  const shared = sharedParameters(routes.flatMap(({ url, operation }) => parametersOf(url, operation)));
  const parameters = Object.fromEntries([...shared].map(([id, parameter]) => [id, describeParameter(parameter, schemas)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Meridian',
      version,
      description: [
        "The REST API of Meridian's control planes: Kuma's, and what Meridian adds to it.",
        'Each GET is served as HEAD too. Answers are in YAML where `Accept` names application/yaml before JSON.',
      ].join(' '),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, {}],
    tags: TAGS.map((name) => ({ name })),
    paths: pathsOf(routes, { schemas, shared }),
    components: {
      schemas: schemas.components,
      responses: refusals(routes, schemas),
      parameters: sorted(parameters),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token. Whoever asks from the same machine needs none.' },
      },
    },
  };
}

interface DocumentParts {
  readonly schemas: Schemas;
  readonly shared: ReadonlyMap<string, Parameter>;
}

/** One for each status: all have the same body. */
function refusals(routes: readonly DescribedRoute[], schemas: Schemas): JsonSchema {
  const statuses = new Set(routes.flatMap(refusalsOf));
  return Object.fromEntries(
    [...statuses].sort((a, b) => a - b).map((status) => [String(status), jsonAnswer(status, schemas.of(errorShape))]),
  );
}

function schemasOf({ url, operation }: DescribedRoute): z.ZodType[] {
  const { body, answers } = operation;
  const given = Object.values(answers).filter((answer) => answer instanceof z.ZodType);
  return [...parametersOf(url, operation).map(({ schema }) => schema), ...(body ? [body] : []), ...given];
}

function pathsOf(routes: readonly DescribedRoute[], parts: DocumentParts): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const url = templateOf(route.url);
    paths[url] = { ...paths[url], [route.method.toLowerCase()]: operationOf(route, parts) };
  }
  return sorted(paths);
}

function operationOf(route: DescribedRoute, { schemas, shared }: DocumentParts): JsonSchema {
  const { url, operation, servedBy } = route;
  const { id, summary, description, tag, body, bodyOptional = false, answers } = operation;
  const refusals = refusalsOf(route).map((status) => [String(status), { $ref: `#/components/responses/${status}` }] as const);
  const example = EXAMPLES[id];
  const good = Object.entries(answers).map(([status, answer]) => {
    const shown = example?.status === Number(status) ? example.answer : undefined;
    return [status, answerOf(Number(status), answer, schemas, shown)] as const;
  });
  const parameters = parametersOf(url, operation).map((parameter) => useOf(parameter, shared, schemas));
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(servedBy === undefined ? {} : { 'x-served-by': servedBy }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: !bodyOptional, content: inJsonAndYaml(schemas.of(body), example?.body) } } : {}),
    responses: Object.fromEntries([...good, ...refusals]),
  };
}

function answerOf(status: number, answer: Operation['answers'][number], schemas: Schemas, example?: unknown): JsonSchema {
  if (answer instanceof z.ZodType) return jsonAnswer(status, schemas.of(answer), example);
  return { description: answer.description, ...(answer.contentType === '' ? {} : { content: { [answer.contentType]: { schema: {} } } }) };
}

function jsonAnswer(status: number, schema: JsonSchema, example?: unknown): JsonSchema {
  return { description: STATUS_CODES[status] ?? String(status), content: inJsonAndYaml(schema, example) };
}

function inJsonAndYaml(schema: JsonSchema, example: unknown): JsonSchema {
  return { [JSON_TYPE]: { schema, ...(example === undefined ? {} : { example }) }, [YAML_TYPE]: { schema } };
}
