import { z } from 'zod';
import { type Kind, KINDS } from '../../resource/kinds.ts';
import { anyObject } from '../../resource/schema/kind-fields.ts';
import { schemaOf } from '../../resource/documents/validate-draft.ts';
import { kri, labels, time } from './common-shapes.ts';

/**
 * The kinds as the API reads and shows them: `MeshTimeout` is the Universal document, `MeshTimeoutObject` the
 * Kubernetes one.
 */

const shownOnly = { kri: kri.optional(), creationTime: time.optional(), modificationTime: time.optional() };

/** What a Kubernetes API server adds: read by nobody here, and never shown. */
const keptByKubernetes = {
  annotations: z.unknown().optional(),
  generation: z.unknown().optional(),
  managedFields: z.unknown().optional(),
  resourceVersion: z.unknown().optional(),
  uid: z.unknown().optional(),
};

function universal(kind: Kind): z.ZodType {
  const { type, scope } = kind;
  const envelope = {
    type: z.literal(type),
    ...(scope === 'Mesh' ? { mesh: z.string().optional().describe('`default` if not said') } : {}),
    name: z.string(),
    labels: labels.optional(),
    ...shownOnly,
    status: anyObject.optional(),
  };
  return asUniversal(kind, envelope).meta({ id: type, description: `A ${type} in the Universal format` });
}

/** The fields of an inline body stand beside those of the envelope. */
function asUniversal(kind: Kind, envelope: z.ZodRawShape): z.ZodType {
  const body = schemaOf(kind);
  if (kind.body === 'spec') return z.strictObject({ ...envelope, spec: specOf(kind).optional() });
  return body instanceof z.ZodObject ? body.extend(envelope) : z.looseObject(envelope);
}

function kubernetes(kind: Kind): z.ZodType {
  const metadata = z.strictObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: labels.optional(),
    creationTimestamp: time.optional(),
    ...keptByKubernetes,
  });
  const { type, apiVersion } = kind;
  return z
    .strictObject({
      apiVersion: z.literal(apiVersion),
      kind: z.literal(type),
      metadata,
      spec: specOf(kind).optional(),
      status: anyObject.optional(),
    })
    .meta({ id: `${type}Object`, description: `A ${type} in the Kubernetes format` });
}

const specs = new Map(KINDS.map((kind) => [kind.type, schemaOf(kind).meta({ id: `${kind.type}Spec` })]));

function specOf({ type }: Kind): z.ZodType {
  return specs.get(type) ?? anyObject;
}

interface SchemaForms {
  readonly universal: z.ZodType;
  readonly kubernetes: z.ZodType;
}

const known = new Map<string, SchemaForms>();

/** One schema of each form for a kind, for an id may come once. */
function formsOf(kind: Kind): SchemaForms {
  const forms = known.get(kind.type) ?? { universal: universal(kind), kubernetes: kubernetes(kind) };
  known.set(kind.type, forms);
  return forms;
}

/** What is there whenever a resource is shown. */
const stored = z.looseObject({ creationTime: time, modificationTime: time }).meta({ id: 'Stored' });

/** A document of a kind, as users write it. */
export function documentOf(kind: Kind): z.ZodType {
  const forms = formsOf(kind);
  return z.union([forms.universal, forms.kubernetes]);
}

/** A resource of a kind, as it is shown in the format that was asked for. */
export function shownOf(kind: Kind): z.ZodType {
  return z.union([shownUniversal(kind), formsOf(kind).kubernetes]);
}

function shownUniversal(kind: Kind): z.ZodType {
  return z.intersection(formsOf(kind).universal, stored);
}

/** A document of any kind. */
export const anyDocument = z.union(KINDS.map(documentOf)).meta({ id: 'Document', description: 'A document of any kind, in either format' });

/** A resource of any kind, shown. */
export const anyShown = z.union(KINDS.map(shownOf)).meta({ id: 'Resource' });
