import { type Envelope, SHOWN_ONLY } from './envelope.ts';
import { LABEL } from '../labels.ts';
import { identityProblems } from '../dns-names.ts';
import type { Draft, JsonObject } from '../resource.ts';

/** The fields of a Universal document that are not its body. An inline body can't have fields of these names. */
export const UNIVERSAL_ENVELOPE: readonly string[] = ['type', 'mesh', 'name', 'labels', 'spec', 'status', ...SHOWN_ONLY];

/**
 * Reads the Universal format (docs/design/resources.md#formats): `type, mesh, name, labels, spec`, and for inline kinds
 * the body's fields at the top. The mesh is `default` when absent; the namespace is a label.
 */
export function readUniversal(document: Envelope): Draft {
  const { fields, kind } = document;
  const labels = document.labels(fields.labels, ['labels']);
  const given = document.text(fields.mesh, ['mesh']);
  const draft: Draft = {
    type: kind.type,
    mesh: given ?? (kind.scope === 'Mesh' ? 'default' : ''),
    name: document.text(fields.name, ['name']) ?? '',
    namespace: labels[LABEL.namespace],
    labels,
    spec: readBody(document),
    ...document.status(),
  };
  document.problems.push(...identityProblems({ ...draft, name: withoutNamespace(draft) }));
  return draft;
}

function readBody(document: Envelope): JsonObject {
  const { fields, kind } = document;
  if (kind.body === 'spec' || fields.spec !== undefined) {
    document.refuseOthers(fields, UNIVERSAL_ENVELOPE, []);
    return document.object(fields.spec, ['spec']);
  }
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !UNIVERSAL_ENVELOPE.includes(field)));
}

/**
 * A REST body carries the REST name, `backend.backend-ns`, which may be longer than a name: only the name is checked.
 */
function withoutNamespace({ name, namespace }: Draft): string {
  return namespace !== undefined && name.endsWith(`.${namespace}`) ? name.slice(0, -namespace.length - 1) : name;
}
