import fc from 'fast-check';
import { stringify } from 'yaml';
import { type Examples, Generator, nonsense, ODD_TEXTS, type Schema, text, WORDS } from './fuzz-values.ts';

/** What of an OpenAPI document says how to ask. */
export interface DescribedApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>>; readonly parameters: Readonly<Record<string, FuzzParameter>> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly (FuzzParameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface FuzzParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Schema;
}

export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer | undefined;
}

/** The requests of an operation: good, nearly good and bad. */
export interface FuzzedOperation {
  readonly id: string;
  readonly requests: fc.Arbitrary<FuzzRequest>;
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
export function fuzzed(document: DescribedApi, examples: Examples): FuzzedOperation[] {
  const generator = new Generator(document.components.schemas, examples);
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
  document: DescribedApi,
): fc.Arbitrary<FuzzRequest> {
  const parameters = (operation.parameters ?? []).map((given) => ('$ref' in given ? parameterAt(document, given.$ref) : given));
  const body = operation.requestBody?.content['application/json']?.schema;
  return fc
    .record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
      path: pathOf(path, parameters, generator),
      query: queryOf(parameters, generator),
      headers: headersOf(parameters, generator),
      type: mostly(fc.constantFrom(...TYPES), fc.constantFrom(...ODD_TYPES)),
      body: body ? bodyOf(body, generator) : mostly(fc.constant(undefined), bodyOf({}, generator)),
      agree: mostly(fc.constant(true), fc.constant(false)),
    })
    .map(({ method: verb, path: { at, end }, query, headers, type, body: given, agree }) => {
      const payload = given && ('raw' in given ? given.raw : given.write(agree ? agreeing(given.value, path, at) : given.value));
      const contentType: Record<string, string> = payload === undefined ? {} : { 'content-type': type };
      return {
        method: verb,
        url: `${at.join('/')}${end}${query}`,
        headers: { host: '127.0.0.1:5681', ...headers, ...contentType },
        payload,
      };
    });
}

/** A document names the resource that its URL names. */
function agreeing(value: unknown, template: string, at: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const said = (name: string): object => {
    const part = at[template.split('/').indexOf(`{${name}}`)];
    return part === undefined || !Object.hasOwn(value, name) ? {} : { [name]: unescaped(part) };
  };
  const inside = 'metadata' in value ? { metadata: agreeing(value.metadata, template, at) } : {};
  return { ...value, ...inside, ...said('name'), ...said('mesh') };
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The good thing nine times of ten, for one bad part is enough for a refusal. */
function mostly<Good, Bad>(good: fc.Arbitrary<Good>, bad: fc.Arbitrary<Bad>): fc.Arbitrary<Good | Bad> {
  return fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function parameterAt({ components }: DescribedApi, ref: string): FuzzParameter {
  const found = components.parameters[ref.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`no parameter ${ref}`);
  return found;
}

const ODD_SEGMENTS = ['%', '%00', '%ff', '%2F', '%2e%2e', '%E0%A4%A', '..', '*', ':name', '', 'a;b=c', 'a%0d%0ab'];
const oddSegment = fc.oneof(encoded(fc.constantFrom(...ODD_TEXTS)), fc.constantFrom(...ODD_SEGMENTS), encoded(fc.constantFrom(...WORDS)));
/** What is there, by the parameters' names. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  mesh: ['default'],
  name: ['a', 'web', 'a.ns', 'default', 'east'],
  kri: ['kri_mt_default___a_', 'kri_mt_default_east_kuma-system_a_', 'kri_dp_default_east_kuma-system_web_10001'],
};

/** Percent encoding knows no lone surrogates. */
function wellFormed(given: string): string {
  return Buffer.from(given).toString();
}

function encoded(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return texts.map((given) => encodeURIComponent(wellFormed(given)));
}

interface FuzzPath {
  /** Its parts, encoded. */
  readonly at: readonly string[];
  readonly end: string;
}

function pathOf(template: string, parameters: readonly FuzzParameter[], generator: Generator): fc.Arbitrary<FuzzPath> {
  const parts = template.split('/').map((part) => {
    const parameter = parameters.find(({ name, in: where }) => where === 'path' && part === `{${name}}`);
    if (!parameter) return fc.constant(part);
    const made = encoded(generator.valid(parameter.schema).map(String));
    const known = fc.constantFrom(...(KNOWN[parameter.name] ?? WORDS)).map(encodeURIComponent);
    return fc.oneof({ weight: 12, arbitrary: known }, { weight: 1, arbitrary: made }, { weight: 1, arbitrary: oddSegment });
  });
  const end = fc.oneof({ weight: 20, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom('/', '//', '/..', '/%', '/x') });
  return fc.record({ at: fc.tuple(...parts), end });
}

/** Each parameter may be left out, come several times, with nonsense, or unknown ones beside it. */
function queryOf(parameters: readonly FuzzParameter[], generator: Generator): fc.Arbitrary<string> {
  const known = parameters.filter(({ in: where }) => where === 'query').map((parameter) => pairsOf(parameter, generator));
  const unknown = fc.tuple(encoded(text), encoded(text)).map((pair) => pair.join('='));
  const odd = fc.constantFrom('%', '=', '&&', '?', '%00=%ff', '__proto__=1', 'filter[]=x', 'filter[labels.]=x', '#', 'a=1&a=2');
  const pairs = [...known.map((pair) => fc.option(pair, { nil: '', freq: 3 })), mostly(fc.constant(''), fc.oneof(unknown, odd))];
  return fc.tuple(...pairs).map((all) => {
    const given = all.filter((pair) => pair !== '');
    return given.length === 0 ? '' : `?${given.join('&')}`;
  });
}

function pairsOf({ name, schema }: FuzzParameter, generator: Generator): fc.Arbitrary<string> {
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
function visible(given: string): string {
  return given.replaceAll(/[^\x20-\x7e]/g, '?');
}

const headerText = fc.oneof(fc.constantFrom('*', '"1"', 'W/"1"', '"', '1', '', ', ,'), fc.string({ maxLength: 30 }).map(visible));

function headersOf(parameters: readonly FuzzParameter[], generator: Generator): fc.Arbitrary<Record<string, string>> {
  const own = parameters
    .filter(({ in: where }) => where === 'header')
    .map(({ name, schema }) => [name.toLowerCase(), fc.oneof(generator.valid(schema).map(String).map(visible), headerText)] as const);
  const all = fc.record({ ...Object.fromEntries(own), accept: headerText, 'accept-encoding': headerText }, { requiredKeys: [] });
  return fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: all });
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

/** Bytes, or a value and how it is written. */
type FuzzBody = { readonly raw: string | Buffer } | { readonly value: unknown; readonly write: (value: unknown) => string | Buffer };

const toJson = (value: unknown): string => JSON.stringify(value) ?? '';
const toYaml = (value: unknown): string => stringify(value, { aliasDuplicateObjects: false });
const toLatin = (value: unknown): Buffer => Buffer.from(toJson(value), 'latin1');

function bodyOf(schema: Schema, generator: Generator): fc.Arbitrary<FuzzBody | undefined> {
  const [valid, nearly] = [generator.valid(schema), generator.nearlyValid(schema)];
  const values = fc.oneof({ weight: 8, arbitrary: valid }, { weight: 8, arbitrary: nearly }, { weight: 1, arbitrary: nonsense });
  const written = (of: fc.Arbitrary<unknown>, write: (value: unknown) => string | Buffer) => of.map((value) => ({ value, write }));
  return fc.oneof(
    { weight: 24, arbitrary: written(values, toJson) },
    { weight: 4, arbitrary: written(valid, toYaml) },
    { weight: 1, arbitrary: written(valid, toLatin) },
    { weight: 2, arbitrary: rawBody.map((raw) => ({ raw })) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}
