import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openApiDocument } from '../../src/api/openapi/openapi-document.ts';
import { describedOf } from '../../src/api/openapi/openapi-routes.ts';

/** An answer as a client gets it. */
interface RawResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * What is wrong with an answer by the OpenAPI document; undefined: nothing. `route` is undefined where nothing is
 * served.
 */
type Contract = (route: { readonly method: string; readonly url: string } | undefined, answer: RawResponse) => string | undefined;

/** One for each set of routes: the schemas of one are compiled once in a process. */
const contracts = new Map<string, Contract>();

/** What answers of an API must be. Routes that are added later don't count. */
function contractOf({ served }: Pick<FastifyInstance, 'served'>): Contract {
  const routes = describedOf(served);
  const id = routes.map(({ method, url }) => `${method} ${url}`).join('\n');
  const known = contracts.get(id) ?? contractFor(openApiDocument(routes, '0'));
  contracts.set(id, known);
  return known;
}

/** An OpenAPI document's answers. */
interface Answers {
  readonly [status: string]: { readonly $ref?: string; readonly content?: Readonly<Record<string, object>> };
}

/** The contract of a document. */
function contractFor(document: object): Contract {
  const { paths } = document as { paths: Record<string, Record<string, { responses: Answers }>> };
  const validate = createValidator(document);
  return (route, answer) => {
    if (!route) return atLeastError(answer, validate);
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    const method = route.method.toLowerCase();
    const operation = paths[path]?.[method];
    if (!operation) return atLeastError(answer, validate);
    const described = operation.responses[String(answer.status)];
    if (!described) return `${route.method} ${path}: the status ${answer.status} is not described: ${answer.body.slice(0, 300)}`;
    const at = described.$ref?.slice(1) ?? `/paths/${escape(path)}/${method}/responses/${answer.status}`;
    const wrong = bodyFault(answer, described.$ref ? { 'application/json': {} } : (described.content ?? {}), at, validate);
    return wrong === undefined ? undefined : `${route.method} ${path}, ${answer.status}: ${wrong}`;
  };
}

type Validate = (pointer: string, value: unknown) => string | undefined;

function bodyFault(
  { contentType, body }: RawResponse,
  content: Readonly<Record<string, object>>,
  at: string,
  validate: Validate,
): string | undefined {
  const type = contentType.split(';')[0] ?? '';
  if (Object.keys(content).length === 0) return body === '' ? undefined : 'no body is described';
  if (!Object.hasOwn(content, type)) return `the content type ${type} is not described`;
  if (type !== 'application/json' || at.includes('openapi.json')) return undefined;
  return validate(`${at}/content/${escape(type)}/schema`, JSON.parse(body));
}

/** Where nothing is served, or not so, there is an error of that status. */
function atLeastError({ status, body, contentType }: RawResponse, validate: Validate): string | undefined {
  if (status < 400 || status >= 500) return `nothing is described, but the status is ${status}`;
  if (!contentType.startsWith('application/json')) return `an error of the type ${contentType}`;
  return validate('/components/schemas/Error', JSON.parse(body));
}

/** Checks values against parts of a document, which are named by JSON pointers. */
function createValidator(document: object): Validate {
  const ajv = newAjv();
  ajv.addSchema({ ...document, $id: 'api' }, 'api', false, false);
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, value) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate(value) ? undefined : `${told(validate.errors ?? [])} in ${JSON.stringify(value).slice(0, 600)}`;
  };
}

export function newAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  // Its types say that the module is a function, and Node that it is a namespace.
  addFormats.default(ajv);
  return ajv;
}

/** The deepest faults: in a choice of many schemas they are of the one that was meant. */
function told(errors: readonly ErrorObject[]): string {
  const deepest = Math.max(...errors.map(({ instancePath }) => instancePath.split('/').length));
  return errors
    .filter(({ instancePath }) => instancePath.split('/').length === deepest)
    .slice(0, 4)
    .map(({ instancePath, message = '', params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('; ');
}

/** Of a part of a JSON pointer. */
function escape(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Holds everything that an API answers against its document. Out: what was wrong so far, one line each. */
export function holdToContract(app: FastifyInstance): readonly string[] {
  const faults: string[] = [];
  const contract = contractOf(app);
  app.addHook('onSend', async (request, reply, payload) => {
    const body = typeof payload === 'string' || Buffer.isBuffer(payload) ? String(payload) : '';
    const contentType = String(reply.getHeader('content-type') ?? '');
    const fault = contract(routeOf(request), { status: reply.statusCode, contentType, body });
    if (fault !== undefined) faults.push(fault);
  });
  return faults;
}

function routeOf({ method, routeOptions: { url, config } }: FastifyRequest) {
  return url === undefined || config.refused ? undefined : { method, url };
}
