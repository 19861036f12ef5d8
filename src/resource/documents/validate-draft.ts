import type { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { findKind, type Kind, KINDS } from '../kinds.ts';
import { shapeProblems } from '../resource-limits.ts';
import { quote } from '../field-path.ts';
import type { Draft } from '../resource.ts';
import { accessSchema, loadBalancingSchema } from '../schema/access-schema.ts';
import { check } from '../schema/check-schema.ts';
import { anyObject } from '../schema/kind-fields.ts';
import { mtpSchema } from '../schema/permission-schema.ts';
import { OBJECTS } from '../schema/object-schemas.ts';
import { policySchema } from '../schema/policy-schema.ts';
import { UNIVERSAL_ENVELOPE } from './universal-form.ts';

const OWN: Readonly<Record<string, z.ZodType>> = {
  ...OBJECTS,
  MeshTrafficPermission: mtpSchema,
  AccessPolicy: accessSchema,
  PrivilegedAccessPolicy: accessSchema,
  LoadBalancingPolicy: loadBalancingSchema,
};

const SCHEMAS = new Map(KINDS.map((kind) => [kind.type, schemaOf(kind)]));

/** What the body of a kind must be: of what is under `spec`, or of the fields at the top of an inline kind. */
export function schemaOf(kind: Kind): z.ZodType {
  return OWN[kind.type] ?? (kind.policy ? policySchema(kind, kind.policy) : anyObject);
}

/**
 * All that is wrong with the body of a draft (docs/design/resources.md#strictness), with paths from the document's top:
 * `spec.to[0].targetRef.kind`, `networking.inbound[0].port`. Names and labels are not looked at: the parsers did (see
 * `identityProblems`).
 */
export function validateDraft(draft: Draft): Problem[] {
  const kind = findKind(draft.type);
  const schema = SCHEMAS.get(draft.type);
  if (!kind || !schema) return [{ field: 'type', reason: `${quote(draft.type)} is not a kind` }];
  const path = kind.body === 'inline' ? [] : ['spec'];
  const shape = [...shapeProblems(draft.spec, path), ...shapeProblems(draft.status ?? {}, ['status'])];
  if (shape.length > 0) return shape;
  return [...reserved(draft, kind), ...check(schema, draft.spec, path).problems];
}

/** An inline body stands among the fields of the envelope, so it can't have fields of their names. */
function reserved({ spec }: Draft, kind: Kind): Problem[] {
  const taken = kind.body === 'inline' ? UNIVERSAL_ENVELOPE.filter((field) => spec[field] !== undefined) : [];
  return taken.map((field) => ({ field, reason: 'is a name that the envelope of this kind uses' }));
}
