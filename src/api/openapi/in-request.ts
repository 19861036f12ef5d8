import { z } from 'zod';
import type { Operation } from './operation.ts';
import { IN_PATH } from './parameters.ts';
import type { JsonSchema, Schemas } from './zod-schemas.ts';

type ParameterLocation = 'path' | 'query' | 'header';

/** A parameter of a route. */
export interface Parameter {
  readonly where: ParameterLocation;
  readonly name: string;
  readonly schema: z.ZodType;
}

const SEGMENT = z.string();

/** `/meshes/:mesh` -> `/meshes/{mesh}`, as the document has it. */
export function templateOf(url: string): string {
  return url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

/** The parameters of a route: those in its path first. */
export function parametersOf(url: string, { query = {}, headers = {} }: Operation): Parameter[] {
  const inPath = [...url.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => [name, IN_PATH[name] ?? SEGMENT] as const);
  const all = (where: ParameterLocation, entries: Iterable<readonly [string, z.ZodType]>) =>
    [...entries].map(([name, schema]) => ({ where, name, schema }));
  return [...all('path', inPath), ...all('query', Object.entries(query)), ...all('header', Object.entries(headers))];
}

/** Parameters that several routes have, by what they are called in the document: the first of each name. */
export function sharedParameters(all: readonly Parameter[]): ReadonlyMap<string, Parameter> {
  const shared = new Map<string, Parameter>();
  for (const [index, parameter] of all.entries()) {
    const again = all.findIndex((other, at) => at > index && same(other, parameter));
    if (again > 0 && !shared.has(idOf(parameter))) shared.set(idOf(parameter), parameter);
  }
  return shared;
}

function same(a: Parameter, b: Parameter): boolean {
  return a.where === b.where && a.name === b.name && a.schema === b.schema;
}

function idOf({ where, name }: Parameter): string {
  return `${where}.${name}`;
}

/** A parameter in a route: what several have is a reference. */
export function useOf(parameter: Parameter, shared: ReadonlyMap<string, Parameter>, schemas: Schemas): JsonSchema {
  const known = shared.get(idOf(parameter));
  return known && same(known, parameter) ? { $ref: `#/components/parameters/${idOf(parameter)}` } : describeParameter(parameter, schemas);
}

export function describeParameter({ where, name, schema: given }: Parameter, schemas: Schemas): JsonSchema {
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
