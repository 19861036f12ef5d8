import type { PlaneContents, Plane } from '../../control/plane/plane.ts';
import type { Kind } from '../../resource/kinds.ts';
import { LABEL } from '../../resource/labels.ts';
import { isObject } from '../../resource/field-path.ts';
import type { Place } from '../../resource/resource.ts';
import { hasNamespaces, splitRestName } from '../../resource/rest-name.ts';
import type { Row } from '../../resource/store/store.ts';

/** The parameters of a resource's route: one that is in no mesh has none, a list no name. */
export interface Params {
  readonly mesh?: string;
  readonly name?: string;
}

/**
 * What a REST name means here (docs/design/interfaces.md#rest). Where there are namespaces the last dot may separate
 * one; but names have dots too, so that comes first, then the whole as a name of the system namespace.
 *
 *   slow.backend-ns, slow.v2.backend-ns  -> slow and slow.v2 of backend-ns
 *   slow, slow.v2                        -> slow and slow.v2 of kuma-system; but slow of v2, where there is such a one
 */
export function locate({ store, place }: PlaneContents, kind: Kind, mesh: string, text: string): Row | undefined {
  const { name, namespace } = splitRestName(kind, text, place);
  const split = namespace === undefined ? undefined : store.byName(kind.type, mesh, namespace, name);
  return split ?? (hasNamespaces(kind, place) ? store.byName(kind.type, mesh, place.systemNamespace, text) : undefined);
}

/** The namespace that a document in the Universal format is for: its label, else the system namespace. */
function namespaceOf(labels: unknown, { systemNamespace }: Place): string {
  const label = isObject(labels) ? labels[LABEL.namespace] : undefined;
  return typeof label === 'string' && label !== '' ? label : systemNamespace;
}

/**
 * A document that may carry its REST name, because it was read from the API: the namespace at the name's end is taken
 * away, for the label says it. What isn't such a document is given back as it is.
 */
export function withoutRestName(value: unknown, kind: Kind | undefined, place: Place): unknown {
  if (!isObject(value) || !kind || !hasNamespaces(kind, place) || typeof value.name !== 'string') return value;
  return { ...value, name: cut(value.name, namespaceOf(value.labels, place)) };
}

/**
 * The same for the body of a PUT. kumactl asks for the name in the user's file, `slow`, and if `slow` of the system
 * namespace answers, it sends the user's document under the name in that answer, `slow.kuma-system`, whatever namespace
 * the document's label says.
 */
export function withoutEchoedName(value: unknown, kind: Kind, plane: Plane, mesh: string): unknown {
  const { place, store } = plane;
  const document = withoutRestName(value, kind, place);
  if (!isObject(document) || typeof document.name !== 'string' || !hasNamespaces(kind, place)) return document;
  const name = cut(document.name, place.systemNamespace);
  const echoed = name !== document.name && store.byName(kind.type, mesh, place.systemNamespace, name) !== undefined;
  return echoed ? { ...document, name } : document;
}

function cut(name: string, namespace: string): string {
  return name.endsWith(`.${namespace}`) ? name.slice(0, -namespace.length - 1) : name;
}
