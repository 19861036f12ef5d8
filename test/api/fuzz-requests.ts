import fc from 'fast-check';
import { stringify } from 'yaml';
import { Generator, nonsense, ODD_TEXTS, type Schema, text, WORDS } from './fuzz-values.js';

/** What of an OpenAPI document says how to ask. */
export interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly parameters: Readonly<Record<string, Parameter>> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer | undefined;
}

/** The requests of an operation: good, nearly good and bad. */
export interface Asked {
  readonly id: string;
  readonly requests: fc.Arbitrary<Request>;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const TYPES = ['application/json', 'application/yaml', 'application/json; charset=utf-8', 'application/json;charset=latin1'];
const ODD_TYPES = [
  'text/plain',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/merge-patch+json',
  ';',
  '',
  'a/b/c',
];

/** Generators of requests for every operation of a document. */
export function fuzzed(document: Described): Asked[] {
  const generator = new Generator(document.components.schemas);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      requests: requestsOf(path, method.toUpperCase(), operation, generator, document),
    })),
  );
}

function requestsOf(
  path: string,
  method: string,
  operation: DescribedOperation,
  generator: Generator,
  document: Described,
): fc.Arbitrary<Request> {
  const parameters = (operation.parameters ?? []).map((given) => ('$ref' in given ? parameterAt(document, given.$ref) : given));
  const body = operation.requestBody?.content['application/json']?.schema;
  return fc
    .record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
      path: pathOf(path, parameters, generator),
      query: queryOf(parameters, generator),
      headers: headersOf(parameters, generator),
      type: mostly(fc.constantFrom(...TYPES), fc.constantFrom(...ODD_TYPES)),
      payload: body ? payloadOf(body, generator) : mostly(fc.constant(undefined), payloadOf({}, generator)),
    })
    .map(({ method: verb, path: address, query, headers, type, payload }) => ({
      method: verb,
      url: `${address}${query}`,
      headers: { host: '127.0.0.1:5681', ...headers, ...(payload === undefined ? {} : { 'content-type': type }) },
      payload,
    }));
}

/** The good thing nine times of ten, for one bad part is enough for a refusal. */
function mostly<Good, Bad>(good: fc.Arbitrary<Good>, bad: fc.Arbitrary<Bad>): fc.Arbitrary<Good | Bad> {
  return fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function parameterAt({ components }: Described, ref: string): Parameter {
  const found = components.parameters[ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`no parameter ${ref}`);
  return found;
}

const ODD_SEGMENTS = ['%', '%00', '%ff', '%2F', '%2e%2e', '%E0%A4%A', '..', '*', ':name', '', 'a;b=c', 'a%0d%0ab'];
const segment = mostly(
  fc.constantFrom(...WORDS).map(encodeURIComponent),
  fc.oneof(encoded(fc.constantFrom(...ODD_TEXTS)), fc.constantFrom(...ODD_SEGMENTS)),
);

/** Percent encoding knows no lone surrogates. */
function wellFormed(given: string): string {
  return Buffer.from(given).toString();
}

function encoded(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((given) => encodeURIComponent(wellFormed(given)));
}

function pathOf(template: string, parameters: readonly Parameter[], generator: Generator): fc.Arbitrary<string> {
  const parts = template.split('/').map((part) => {
    const parameter = parameters.find(({ name, in: where }) => where === 'path' && part === `{${name}}`);
    return parameter ? fc.oneof(segment, encoded(generator.valid(parameter.schema).map(String))) : fc.constant(part);
  });
  return fc
    .tuple(fc.tuple(...parts), mostly(fc.constant(''), fc.constantFrom('/', '//', '/..', '/%', '/x')))
    .map(([all, end]) => all.join('/') + end);
}

/** Each parameter may be left out, come several times, with nonsense, or unknown ones beside it. */
function queryOf(parameters: readonly Parameter[], generator: Generator): fc.Arbitrary<string> {
  const known = parameters.filter(({ in: where }) => where === 'query').map((parameter) => pairsOf(parameter, generator));
  const unknown = fc.tuple(encoded(text), encoded(text)).map((pair) => pair.join('='));
  const odd = fc.constantFrom('%', '=', '&&', '?', '%00=%ff', '__proto__=1', 'filter[]=x', 'filter[labels.]=x', '#', 'a=1&a=2');
  const pairs = [...known.map((pair) => fc.option(pair, { nil: '', freq: 3 })), mostly(fc.constant(''), fc.oneof(unknown, odd))];
  return fc.tuple(...pairs).map((all) => {
    const given = all.filter((pair) => pair !== '');
    return given.length === 0 ? '' : `?${given.join('&')}`;
  });
}

function pairsOf({ name, schema }: Parameter, generator: Generator): fc.Arbitrary<string> {
  const wrong = fc.oneof(fc.constantFrom(...ODD_TEXTS), text);
  const values = mostly(generator.valid(schema), wrong);
  return fc.array(values, { minLength: 1, maxLength: 2 }).map((all) => all.flatMap((value) => serialised(name, value)).join('&'));
}

/** `size=1`, `tag=a&tag=b`, `filter[labels.app]=web`. */
function serialised(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => serialised(name, item));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => serialised(`${name}[${key}]`, inner));
  return [`${encodeURIComponent(wellFormed(name))}=${encodeURIComponent(wellFormed(String(value)))}`];
}

/** What a header can carry. */
const headerText = fc.oneof(
  fc.constantFrom('*', '"1"', 'W/"1"', '"', '1', '', ', ,'),
  fc.string({ maxLength: 30 }).map((given) => given.replaceAll(/[^\x20-\x7e]/g, '?')),
);

function headersOf(parameters: readonly Parameter[], generator: Generator): fc.Arbitrary<Record<string, string>> {
  const own = parameters
    .filter(({ in: where }) => where === 'header')
    .map(
      ({ name, schema }) =>
        [
          name.toLowerCase(),
          fc.oneof(
            generator.valid(schema).map((value) => String(value).replaceAll(/[^\x20-\x7e]/g, '?')),
            headerText,
          ),
        ] as const,
    );
  const usual = { accept: headerText, 'accept-encoding': headerText, 'x-unknown': headerText };
  return fc.record({ ...Object.fromEntries(own), ...usual }, { requiredKeys: [] });
}

const ODD_BODIES = [
  '',
  '---',
  'null',
  '&a [*a]',
  'a: &a b\n<<: *a',
  '!!binary x',
  '\ufeff{}',
  '"\\ud800"',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '[]',
  '[[',
  '{',
];
const DEEP_BODIES = [
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  '- '.repeat(2_000),
  `[${'1,'.repeat(200_000)}1]`,
  `${'a: 1\n'.repeat(20_000)}`,
];
const rawBody = fc.oneof(
  fc.constantFrom(...ODD_BODIES, ...DEEP_BODIES),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
);

function payloadOf(schema: Schema, generator: Generator): fc.Arbitrary<string | Buffer | undefined> {
  const values = fc.oneof(
    { weight: 4, arbitrary: generator.valid(schema) },
    { weight: 4, arbitrary: generator.nearlyValid(schema) },
    { weight: 1, arbitrary: nonsense },
  );
  const json = values.map((value) => JSON.stringify(value) ?? '');
  const yaml = generator.valid(schema).map((value) => stringify(value, { aliasDuplicateObjects: false }));
  const latin = json.map((given) => Buffer.from(given, 'latin1'));
  return fc.oneof(
    { weight: 12, arbitrary: json },
    { weight: 2, arbitrary: yaml },
    { weight: 1, arbitrary: latin },
    { weight: 2, arbitrary: rawBody },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}
