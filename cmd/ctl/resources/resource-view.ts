import { LABEL } from '../../../src/resource/labels.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { printable, textOf } from '../terminal/printable.ts';

/** A resource as the REST API shows it, taken apart for people. What is not there is ''. */
export interface ResourceView {
  readonly type: string;
  readonly mesh: string;
  /** The REST name. */
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  /** '' for global. */
  readonly zone: string;
  readonly role: string;
  readonly environment: string;
}

export function readResourceView(item: JsonObject): ResourceView {
  const labels = isObject(item.labels) ? item.labels : {};
  return {
    type: textOf(item.type),
    mesh: textOf(item.mesh),
    name: textOf(item.name),
    displayName: textOf(labels[LABEL.displayName]),
    namespace: textOf(labels[LABEL.namespace]),
    zone: textOf(labels[LABEL.zone]),
    role: textOf(labels[LABEL.role]),
    environment: textOf(labels[LABEL.env]),
  };
}

/**
 * The document that `apply` accepts again: in Universal YAML the namespace is a label, no part of the name.
 *
 *   name: slow.backend-ns, k8s.kuma.io/namespace: backend-ns   -> name: slow
 */
export function toDocument(item: JsonObject): JsonObject {
  return isOwn(readResourceView(item)) ? { ...item, name: readResourceView(item).displayName } : item;
}

/** Whether the store that was asked is where the resource was made: copies are called otherwise. */
function isOwn({ name, displayName, namespace }: ResourceView): boolean {
  return displayName !== '' && (name === displayName || name === `${displayName}.${namespace}`);
}

/** `MeshTimeout/slow`: what `get` and `delete` take again. */
export function nameLine(item: JsonObject): string {
  const { type, name } = readResourceView(item);
  return `${printable(`${type}/${name}`)}\n`;
}
