/**
 * The structure of an OpenAPI 3.1 document (the specification, section 4), as far as ours goes: what it does not name
 * is refused.
 */

const text = { type: 'string', minLength: 1 };
const ref = { type: 'object', properties: { $ref: text }, required: ['$ref'], additionalProperties: false };

function object(properties: object, required: readonly string[] = []) {
  return { type: 'object', properties, required, additionalProperties: false, patternProperties: { '^x-': {} } };
}

function mapOf(schema: object, names = '') {
  return { type: 'object', additionalProperties: schema, propertyNames: { pattern: names } };
}

const COMPONENT_NAME = '^[a-zA-Z0-9._-]+$';
const anySchema = { type: ['object', 'boolean'] };
const content = mapOf(object({ schema: anySchema, example: true }), '^[a-z]+/[a-z.+-]+$');
const header = object({ description: text, schema: anySchema }, ['schema']);
const response = object({ description: text, content, headers: mapOf(header) }, ['description']);
const parameter = {
  ...object(
    {
      name: text,
      in: { enum: ['path', 'query', 'header'] },
      description: text,
      required: { type: 'boolean' },
      style: { const: 'deepObject' },
      explode: { type: 'boolean' },
      schema: anySchema,
    },
    ['name', 'in', 'schema'],
  ),
  // What is in the path is always there.
  anyOf: [{ properties: { in: { enum: ['query', 'header'] } } }, { properties: { required: { const: true } }, required: ['required'] }],
};
const security = { type: 'array', items: mapOf({ type: 'array', items: text }) };

const operation = object(
  {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
    summary: text,
    description: text,
    tags: { type: 'array', items: text, minItems: 1 },
    parameters: { type: 'array', items: { oneOf: [parameter, ref] }, minItems: 1 },
    requestBody: object({ required: { type: 'boolean' }, content }, ['content']),
    responses: { ...mapOf({ oneOf: [response, ref] }, '^[1-5][0-9][0-9]$'), minProperties: 1 },
    security,
  },
  ['operationId', 'summary', 'tags', 'responses'],
);

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const OPENAPI = object(
  {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: object({ title: text, version: text, description: text, license: object({ name: text, identifier: text }, ['name']) }, [
      'title',
      'version',
    ]),
    servers: { type: 'array', items: object({ url: text }, ['url']) },
    security,
    tags: { type: 'array', items: object({ name: text, description: text }, ['name']) },
    paths: mapOf(object(Object.fromEntries(METHODS.map((method) => [method, operation]))), '^/'),
    components: object({
      schemas: mapOf(anySchema, COMPONENT_NAME),
      responses: mapOf(response, COMPONENT_NAME),
      parameters: mapOf(parameter, COMPONENT_NAME),
      securitySchemes: mapOf(object({ type: { const: 'http' }, scheme: text, description: text }, ['type', 'scheme']), COMPONENT_NAME),
    }),
  },
  ['openapi', 'info', 'paths'],
);
