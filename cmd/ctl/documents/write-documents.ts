import { kindOf } from '../../../src/resource/kinds.ts';
import { LABEL, type Labels, userLabels } from '../../../src/resource/labels.ts';
import { parseDocument } from '../../../src/resource/documents/parse-documents.ts';
import type { Draft, Environment, JsonObject, Place } from '../../../src/resource/resource.ts';
import { hasNamespaces } from '../../../src/resource/rest-name.ts';
import { note } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { toDocument } from '../resources/resource-view.ts';

export type YamlFormat = 'universal' | 'kubernetes';

const FORMATS: Readonly<Record<Environment, YamlFormat>> = { kubernetes: 'kubernetes', universal: 'universal' };

/** The format that people write in where a control plane stands. */
export function formatAt({ environment }: Place): YamlFormat {
  return FORMATS[environment];
}

/**
 * What a user wrote of a resource that the REST API shows, or of a document of a user's: without what a control plane
 * computes (labels, times, the KRI, the system namespace), labels sorted. Two of them are equal when applying one over
 * the other changes nothing that a user wrote. undefined for what is of no known kind; anything else that is odd about
 * it is told on standard error.
 */
export function writtenOf(item: JsonObject, place: Place): Draft | undefined {
  const { draft, problems } = parseDocument(toDocument(item));
  for (const { field, reason } of problems) note(printable(`warning: ${draft?.type ?? ''} ${draft?.name ?? ''}: ${field}: ${reason}`));
  if (!draft) return undefined;
  const { type, mesh, name, spec, status } = draft;
  const namespace = draft.namespace === place.systemNamespace ? undefined : draft.namespace;
  return { type, mesh, name, namespace, labels: sorted(userLabels(draft.labels)), spec, status };
}

/**
 * The document of what a user wrote, in a format of YAML (docs/design/resources.md#formats). In the Kubernetes format
 * the namespace is always said where there are some, for other tools take its absence for `default`; in the Universal
 * one only where it isn't the system namespace.
 */
export function formatDocument(draft: Draft, format: YamlFormat, place: Place): JsonObject {
  switch (format) {
    case 'universal':
      return toUniversal(draft);
    case 'kubernetes':
      return toKubernetes(draft, place);
  }
}

function toUniversal({ type, mesh, name, namespace, labels, spec, status }: Draft): JsonObject {
  const all = namespace === undefined ? labels : sorted({ ...labels, [LABEL.namespace]: namespace });
  return {
    type,
    ...(mesh === '' ? {} : { mesh }),
    name,
    ...labelled(all),
    ...(kindOf(type).body === 'inline' ? spec : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

function toKubernetes({ type, mesh, name, namespace, labels, spec, status }: Draft, place: Place): JsonObject {
  const kind = kindOf(type);
  const all = mesh === '' ? labels : sorted({ ...labels, [LABEL.mesh]: mesh });
  return {
    apiVersion: kind.apiVersion,
    kind: type,
    metadata: {
      name,
      ...(hasNamespaces(kind, place) ? { namespace: namespace ?? place.systemNamespace } : {}),
      ...labelled(all),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

function labelled(labels: Labels): { labels?: Labels } {
  return Object.keys(labels).length === 0 ? {} : { labels };
}

function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
