import { z } from 'zod';

/** A JSON schema (2020-12), or any other part of the document. */
export type JsonSchema = { readonly [field: string]: unknown };

/** The JSON schemas of zod schemas, and the components that they refer to. */
export interface Schemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  of(schema: z.ZodType): JsonSchema;
}

/**
 * Turns zod schemas into JSON schemas, all of them at once, for they share components: whatever has an id is one.
 *
 *   string with the id Kri  ->  components {Kri: {type: string}}
 *   object {kri: Kri}       ->  {type: object, properties: {kri: {$ref: '#/components/schemas/Kri'}}}
 */
export function toJsonSchemas(schemas: Iterable<z.ZodType>): Schemas {
  const all = [...new Set(schemas)];
  const whole = z.object(Object.fromEntries(all.map((schema, index) => [String(index), schema])));
  const { $defs = {}, properties = {} } = z.toJSONSchema(whole, { io: 'input', unrepresentable: 'any' });
  const places = new Map(all.map((schema, index) => [schema, inDocument(properties[String(index)])]));
  const components = Object.fromEntries(Object.entries($defs).map(([id, schema]) => [id, inDocument(schema)]));
  return { components: sorted(components), of: (schema) => places.get(schema) ?? {} };
}

/** References as they are written in the document; ids are said by their names there. */
function inDocument(schema: unknown): JsonSchema {
  const text = JSON.stringify(schema, (_, value: unknown) => (isComponent(value) ? { ...value, id: undefined } : value));
  return JSON.parse(text.replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/')) as JsonSchema;
}

/** zod writes a schema's id beside it. A field that is called `id` is a schema, never a text. */
function isComponent(value: unknown): value is { readonly id: string } {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';
}

export function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
