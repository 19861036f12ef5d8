import fc from 'fast-check';

/** A JSON schema of the document, as far as the generators read it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

type AnyValues = fc.Arbitrary<unknown>;

/** Words that mean something here: names that are there, kinds, tags, KRIs. */
export const WORDS = [
  ...['default', 'a', 'web', 'backend', 'east', 'west', 'global', 'a.ns', 'web.kuma-system', 'Mesh', 'MeshService', 'Dataplane'],
  ...['kuma.io/service', 'kuma.io/mesh', 'k8s.kuma.io/namespace', 'kuma.io/effect', 'kuma.io/kds-sync', 'shadow', 'disabled', 'default.a'],
  ...[
    'kri_mt_default___a_',
    'kri_dp_default_east_kuma-system_web_',
    'spiffe://default/ns/web',
    'spiffe://td',
    '127.0.0.1',
    '10s',
    '24h',
    '/',
  ],
];

/** Texts that have broken things before. */
export const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '.',
    '..',
    '../..',
    '%',
    '%00',
    '%2e%2e',
    '\u0000',
    '\ufeff',
    '\u202e',
    'ä',
    '💥',
    '\ud800',
    'null',
    'undefined',
    'NaN',
    '-1',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$ref',
    '{{ .Name }}',
    "'; DROP TABLE resources; --",
    '<script>',
    'a\r\nb: c',
  ],
  ...['kri_', 'kri______', 'kri_xx_a_b_c_d_', 'x'.repeat(254), 'x'.repeat(5_000), `${'a.'.repeat(200)}a`, '9007199254740993', '1e400'],
];

const meant = fc.constantFrom(...WORDS);
export const text = fc.oneof({ weight: 4, arbitrary: meant }, { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) });

/** A value that is no thought of any schema. */
export const nonsense: AnyValues = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, [], {}, [[]], [{}], ...ODD_TEXTS),
  fc.constantFrom(...[50, 2_000].map(nested)),
  fc.constant('y'.repeat(600_000)),
);

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { to: value };
  return value;
}

/** Values of components that are right in all that JSON Schema can't say, by their ids. */
export type Examples = Readonly<Record<string, readonly unknown[]>>;

function withExamples(made: AnyValues, examples: readonly unknown[] = []): AnyValues {
  if (examples.length === 0) return made;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...examples) }, { weight: 1, arbitrary: made });
}

/** Makes values of the schemas of one document, each once. */
export class Generator {
  private readonly components: Readonly<Record<string, Schema>>;
  private readonly examples: Examples;

  private readonly known = new Map<string, AnyValues>();

  constructor(components: Readonly<Record<string, Schema>>, examples: Examples) {
    this.components = components;
    this.examples = examples;
  }

  /** Values that are as the schema says, mostly: what zod checks beyond JSON Schema is not in it. */
  valid(schema: Schema): AnyValues {
    if (schema.$ref !== undefined) return this.component(schema.$ref);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((choice) => this.valid(choice)));
    if (schema.allOf)
      return fc.tuple(...schema.allOf.map((part) => this.valid(part))).map((parts) => Object.assign({}, ...parts) as unknown);
    return fc.oneof(...[schema.type ?? 'any'].flat().map((type) => this.ofType(type, schema)));
  }

  /** The same with one part of it gone wrong: replaced, left out, or with something beside it. */
  nearlyValid(schema: Schema): AnyValues {
    return fc.tuple(this.valid(schema), fc.nat(), nonsense, fc.constantFrom('replace', 'drop', 'add')).map(([value, at, wrong, how]) => {
      const places = placesIn(value);
      const place = places[at % Math.max(1, places.length)];
      return place ? changed(value, place, wrong, how) : wrong;
    });
  }

  private component(ref: string): AnyValues {
    const id = ref.split('/').at(-1) ?? '';
    const made = this.known.get(id) ?? withExamples(this.valid(this.components[id] ?? {}), this.examples[id]);
    this.known.set(id, made);
    return made;
  }

  private ofType(type: string, schema: Schema): AnyValues {
    switch (type) {
      case 'object':
        return this.object(schema);
      case 'array':
        return fc.array(this.valid(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: (schema.minItems ?? 0) + 2 });
      case 'string':
        return string(schema);
      case 'integer':
      case 'number':
        return number(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return fc.oneof(fc.jsonValue({ maxDepth: 2 }), text);
    }
  }

  private object({ properties = {}, required = [], additionalProperties, propertyNames }: Schema): AnyValues {
    const known = Object.entries(properties).filter(([, schema]) => schema.not === undefined);
    const model = Object.fromEntries(known.map(([name, schema]) => [name, this.valid(schema)]));
    const own = fc.record(model, { requiredKeys: required.filter((name) => Object.hasOwn(model, name)) });
    if (additionalProperties === false) return own;
    const keys = propertyNames ? string(propertyNames) : text;
    const value =
      typeof additionalProperties === 'object' ? this.valid(additionalProperties) : fc.oneof(fc.jsonValue({ maxDepth: 1 }), text);
    return fc.tuple(fc.dictionary(keys, value, { maxKeys: 2, noNullPrototype: true }), own).map(([more, given]) => ({ ...more, ...given }));
  }
}

function string({ pattern, format, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constant('2026-01-02T03:04:05Z');
  if (pattern === undefined) return text.filter(({ length }) => length >= minLength && length <= maxLength);
  const expression = new RegExp(pattern);
  const fitting = WORDS.filter((word) => expression.test(word));
  const made = fc.stringMatching(expression, { maxLength: Math.min(maxLength, 30) });
  return fitting.length > 0 ? fc.oneof(fc.constantFrom(...fitting), made) : made;
}

function number({ type, minimum = -1_000_000, maximum = 1_000_000 }: Schema): AnyValues {
  return type === 'number'
    ? fc.double({ min: minimum, max: maximum, noNaN: true })
    : fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) });
}

type ValuePath = readonly (string | number)[];

/** Where something stands in a value, itself left out. */
function placesIn(value: unknown, at: ValuePath = []): ValuePath[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, inner]: [string | number, unknown]) => [[...at, key], ...placesIn(inner, [...at, key])]);
}

function changed(value: unknown, [key, ...rest]: ValuePath, wrong: unknown, how: string): unknown {
  if (key === undefined) return wrong;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => (index === key ? changed(item, rest, wrong, how) : item));
  }
  const entries = Object.entries(value as object);
  if (rest.length > 0)
    return Object.fromEntries(entries.map(([name, inner]) => [name, name === key ? changed(inner, rest, wrong, how) : inner]));
  if (how === 'drop') return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    how === 'add' ? [...entries, ['extra', wrong]] : entries.map(([name, inner]) => [name, name === key ? wrong : inner]),
  );
}
