import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { Kind } from '../../../src/resource/kinds.ts';
import { nearest } from '../../../src/resource/documents/nearest-word.ts';
import { optionsOf } from '../input/options.ts';
import { kindNamed } from '../input/resource-names.ts';
import { print } from '../terminal/output.ts';
import { formatTable, type TableLayout, wraps } from '../terminal/table.ts';

/** A field as JSON Schema has it. */
type FieldSchema = Readonly<Record<string, unknown>>;

/** A field of a kind, for people. */
interface ExplainedField {
  readonly path: string;
  readonly type: string;
  readonly fields: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
}

export function addExplain(program: Command): void {
  program
    .command('explain')
    .summary('the fields of a kind, and what they may hold (offline)')
    .description('Shows what a field of a kind may hold, and the fields within it.')
    .argument('<kind[.field...]>', 'like mt, or MeshTimeout.spec.to.targetRef; lists are passed through')
    .action(async (word: string, _: object, command: Command) => {
      const [name = '', ...fields] = word.split('.');
      const kind = kindNamed(name, command);
      const explained = await explain(kind, fields[0] === 'spec' ? fields.slice(1) : fields);
      await print(optionsOf(command), explained, (paper) => formatExplained(explained, paper));
    });
}

/** Throws `not_found` for a field that the kind has not. */
async function explain(kind: Kind, fields: readonly string[]): Promise<ExplainedField> {
  const [{ z }, { schemaOf }] = await Promise.all([import('zod'), import('../../../src/resource/documents/validate-draft.ts')]);
  const root: FieldSchema = z.toJSONSchema(schemaOf(kind), { unrepresentable: 'any', io: 'input' });
  let [schema, path] = [root, kind.type];
  for (const field of fields) {
    const within = fieldsOf(root, schema);
    const found = within[field];
    if (!found) throw noField(path, field, Object.keys(within));
    [schema, path] = [found, `${path}.${field}`];
  }
  const required = resolve(root, schema).required;
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  const within = Object.entries(fieldsOf(root, schema));
  return {
    path,
    type: typeOf(root, schema),
    fields: within.map(([name, field]) => ({ name, type: typeOf(root, field), required: isRequired(name) })),
  };
}

function noField(path: string, field: string, known: readonly string[]): MeridianError {
  const near = nearest(field, known);
  const hint = near === undefined ? `it has ${known.join(', ') || 'no fields that are known beforehand'}` : `did you mean ${near}?`;
  return new MeridianError('not_found', `${path} has no field ${field}`, { hint });
}

/** What a reference stands for; the items of a list. */
function resolve(root: FieldSchema, schema: FieldSchema): FieldSchema {
  const { $ref, items } = schema;
  if (typeof $ref === 'string') {
    const named = isObject(root.$defs) ? root.$defs[$ref.replace('#/$defs/', '')] : undefined;
    return isObject(named) ? resolve(root, named) : {};
  }
  return schema.type === 'array' && isObject(items) ? resolve(root, items) : schema;
}

/** Not those that a kind must not have (`not: {}`). */
function fieldsOf(root: FieldSchema, schema: FieldSchema): Readonly<Record<string, FieldSchema>> {
  const resolved = resolve(root, schema);
  const choices = [resolved.anyOf, resolved.oneOf, resolved.allOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const own = isObject(resolved.properties)
    ? Object.entries(resolved.properties).filter(([, field]) => isObject(field) && field.not === undefined)
    : [];
  return Object.assign({}, ...choices.map((choice) => fieldsOf(root, choice)), Object.fromEntries(own)) as Readonly<
    Record<string, FieldSchema>
  >;
}

/** `string, at most 63 characters`; `list of object`; `Allow | Deny`. */
function typeOf(root: FieldSchema, schema: FieldSchema): string {
  if (schema.type === 'array' && isObject(schema.items)) return `list of ${typeOf(root, schema.items)}`;
  const { type, enum: values, anyOf, minimum, maximum, maxLength, const: only, additionalProperties, properties } = resolve(root, schema);
  if (Array.isArray(values)) return values.join(' | ');
  if (only !== undefined) return typeof only === 'string' ? only : JSON.stringify(only);
  if (Array.isArray(anyOf)) return [...new Set(anyOf.filter(isObject).map((one) => typeOf(root, one)))].join(' or ');
  if (type === 'object' && isObject(additionalProperties) && !properties) return `map of ${typeOf(root, additionalProperties)}`;
  const bounds = [
    ...(typeof minimum === 'number' && Number.isSafeInteger(minimum) && minimum > Number.MIN_SAFE_INTEGER ? [`at least ${minimum}`] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER ? [`at most ${maximum}`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ];
  return [typeof type === 'string' ? type : 'anything', ...bounds].join(', ');
}

function formatExplained({ path, type, fields }: ExplainedField, paper: TableLayout): string {
  const rows = fields.map(({ name, type: held, required }) => [name, required ? 'yes' : 'no', held]);
  return `${path}: ${type}\n${rows.length > 0 ? `\n${formatTable(['FIELD', 'REQUIRED', wraps('HOLDS')], rows, paper)}` : ''}`;
}
