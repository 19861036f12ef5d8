import { kindOf, type Kind } from './kinds.ts';
import { type Place, type Resource, usesNamespaces } from './resource.ts';

/** Whether resources of a kind lie in namespaces at a place. */
export function hasNamespaces(kind: Kind, place: Place): boolean {
  return usesNamespaces(place.environment) && kind.namespaced;
}

/**
 * What a resource is called in the REST API (docs/design/interfaces.md#rest): `<name>.<namespace>` where it lies in a
 * namespace, else its name.
 */
export function restName(resource: Pick<Resource, 'key' | 'name' | 'namespace'>, place: Place): string {
  const namespaced = hasNamespaces(kindOf(resource.key.type), place) && resource.namespace !== '';
  return namespaced ? `${resource.name}.${resource.namespace}` : resource.name;
}

/**
 * Takes a REST name apart: the last dot separates the namespace, for a namespace has no dots. The namespace is '' where
 * there are no namespaces. It is undefined where there are some and the text names none: then a label may name it, else
 * it is the system namespace.
 */
export function splitRestName(kind: Kind, text: string, place: Place): { name: string; namespace: string | undefined } {
  if (!hasNamespaces(kind, place)) return { name: text, namespace: '' };
  const dot = text.lastIndexOf('.');
  if (dot < 0) return { name: text, namespace: undefined };
  return { name: text.slice(0, dot), namespace: text.slice(dot + 1) };
}
