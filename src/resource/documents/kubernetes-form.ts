import { type Envelope, SHOWN_ONLY } from './envelope.ts';
import { LABEL } from '../labels.ts';
import { type IdentityFields, identityProblems } from '../dns-names.ts';
import { formatPath, quote } from '../field-path.ts';
import type { Draft, JsonObject } from '../resource.ts';

const TOP: readonly string[] = ['apiVersion', 'kind', 'metadata', 'mesh', 'spec', 'status', ...SHOWN_ONLY];
const METADATA: readonly string[] = [
  'name',
  'namespace',
  'labels',
  // What a Kubernetes API server adds, and what its tools keep there: read by nobody here.
  'annotations',
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'finalizers',
  'generateName',
  'generation',
  'managedFields',
  'ownerReferences',
  'resourceVersion',
  'selfLink',
  'uid',
];

const FIELDS: IdentityFields = {
  name: 'metadata.name',
  mesh: formatPath(['metadata', 'labels', LABEL.mesh]),
  namespace: 'metadata.namespace',
  labels: ['metadata', 'labels'],
};

/**
 * Reads the Kubernetes format (docs/design/resources.md#formats): `apiVersion, kind, metadata, spec`. The mesh is the
 * label `kuma.io/mesh`, else a `mesh` beside `metadata` (so docs/design/sources.md#namespace writes a MeshGateway),
 * else `default`.
 */
export function readKubernetes(document: Envelope): Draft {
  const { fields, kind } = document;
  document.refuseOthers(fields, TOP, []);
  if (fields.apiVersion !== kind.apiVersion) document.report(['apiVersion'], `must be ${kind.apiVersion} for a ${kind.type}`);
  const metadata = document.object(fields.metadata, ['metadata']);
  document.refuseOthers(metadata, METADATA, ['metadata']);
  refuseDeleted(document, metadata);
  const labels = document.labels(metadata.labels, ['metadata', 'labels']);
  const draft: Draft = {
    type: kind.type,
    mesh: readMesh(document, labels[LABEL.mesh]),
    name: document.text(metadata.name, ['metadata', 'name']) ?? '',
    namespace: document.text(metadata.namespace, ['metadata', 'namespace']),
    labels,
    spec: readBody(document),
    ...document.status(),
  };
  document.problems.push(...identityProblems(draft, FIELDS));
  if (draft.namespace !== undefined && draft.name.endsWith(`.${draft.namespace}`)) {
    document.report(['metadata', 'name'], `must not end in its namespace: that belongs in metadata.namespace alone`);
  }
  return draft;
}

/** Applied again, it would come back from the dead. */
function refuseDeleted(document: Envelope, { deletionTimestamp }: JsonObject): void {
  if (deletionTimestamp === undefined || deletionTimestamp === null) return;
  document.report(
    ['metadata', 'deletionTimestamp'],
    'says that the object is being deleted: leave it out to apply the object nevertheless',
  );
}

function readBody(document: Envelope): JsonObject {
  return document.object(document.fields.spec, ['spec']);
}

function readMesh(document: Envelope, label: string | undefined): string {
  const beside = document.text(document.fields.mesh, ['mesh']);
  if (label !== undefined && beside !== undefined && label !== beside) {
    document.report(['mesh'], `is ${quote(beside)}, but the label ${LABEL.mesh} is ${quote(label)}`);
  }
  return label ?? beside ?? (document.kind.scope === 'Mesh' ? 'default' : '');
}
