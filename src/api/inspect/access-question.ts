import * as z from 'zod';
import { invalid } from '../../errors.ts';
import { attributeKey, type AttributeSet } from '../../policy/access/attribute-keys.ts';
import { type Attributes, readAttributes } from '../../policy/access/attributes.ts';
import type { AccessTarget } from '../../control/access/answer-access.ts';
import { quote } from '../../resource/field-path.ts';
import type { Labels } from '../../resource/labels.ts';
import { check } from '../../resource/schema/check-schema.ts';

const text = z.string().min(1).max(2048);
const set = z.record(text, z.string().max(2048)).refine((given) => Object.keys(given).length <= 256, 'has more than 256 attributes');

/** The body of `POST /access`. */
export const accessShape = z
  .strictObject({
    mesh: text.optional(),
    from: z.strictObject({
      dataplane: text.optional().describe('A REST name or a KRI: what is known of it here is its attributes'),
      attributes: set.optional().describe('What if: the attributes of a caller with those of its site'),
      zone: text.optional().describe('With `attributes`, at global: whose policies are asked beside those of global'),
    }),
    to: z.strictObject({
      service: text.optional().describe('The display name of the MeshServices: the import'),
      attributes: set.optional().describe('What if: the attributes of a service with those of its site'),
      namespace: z.string().max(63).optional().describe('Of the service, which is whose policies are asked; absent or empty: none'),
    }),
  })
  .meta({ id: 'AccessQuestion' });

/** What `POST /access` is asked. */
export interface AccessAsked {
  readonly mesh: string;
  readonly from: { readonly dataplane: string } | { readonly attributes: Attributes; readonly zone: string | undefined };
  readonly to: AccessTarget;
  /** The keys that no such set can have: they say nothing. */
  readonly warnings: readonly string[];
}

/**
 * Reads the body of `POST /access`. Throws `invalid` with every problem.
 *
 *   {from: {dataplane}, to: {service, namespace}}
 *   {from: {attributes, zone}, to: {attributes, namespace}}, or one of each
 */
export function readAccessQuestion(value: unknown): AccessAsked {
  const { data, problems } = check(accessShape, value, []);
  if (!data) throw invalid(problems);
  const { mesh = 'default', from, to } = data;
  requireOne('from', from.dataplane, from.attributes, '`dataplane` and `attributes`');
  requireOne('to', to.service, to.attributes, '`service` and `attributes`');
  if (from.dataplane !== undefined && from.zone !== undefined)
    throw invalid([{ field: 'from.zone', reason: 'is for a caller with `attributes`: a Dataplane says its zone' }]);
  const namespace = to.namespace ?? '';
  return {
    mesh,
    from: from.dataplane === undefined ? { attributes: setOf('source', from.attributes), zone: from.zone } : { dataplane: from.dataplane },
    to: to.service === undefined ? { attributes: setOf('destination', to.attributes), namespace } : { name: to.service, namespace },
    warnings: [...unknownIn('source', 'from', from.attributes), ...unknownIn('destination', 'to', to.attributes)],
  };
}

function requireOne(field: string, one: unknown, other: unknown, named: string): void {
  if ((one === undefined) === (other === undefined)) throw invalid([{ field, reason: `must have one of ${named}` }]);
}

function setOf(side: AttributeSet, given: Labels = {}): Attributes {
  const read = readAttributes(side, given);
  if (read) return read;
  throw invalid([{ field: side === 'source' ? 'from.attributes' : 'to.attributes', reason: 'gives one attribute two values' }]);
}

function unknownIn(side: AttributeSet, field: string, given: Labels = {}): string[] {
  const unknown = Object.keys(given).filter((key) => attributeKey(side, key) === undefined);
  return unknown.map((key) => `${field}.attributes: ${quote(key)} is no attribute of a ${side}, and says nothing`);
}
