import { asObject } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import { LABEL, type Labels } from '../../resource/labels.ts';
import type { JsonValue, Resource } from '../../resource/resource.ts';

/** The tag of an inbound by which services were known before there were MeshServices. */
export const SERVICE_TAG = 'kuma.io/service';

/** Whether `tags` has every one of `wanted`, with its value. None are in all. */
export function includesAll(tags: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(tags, key) && tags[key] === value);
}

/** The entries of an object that are texts: what was set as tags or labels. */
export function textsOf(value: JsonValue | undefined): Labels {
  const entries = Object.entries(asObject(value) ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/**
 * Tags or labels with what the key proves in place of what a user may have set: zone, namespace and display name. They
 * are those of a proxy whatever it says of itself, so that one can't leave the reach of a policy, or enter that of
 * another's.
 */
export function withIdentity(given: Labels, { zone, namespace, name }: Key): Labels {
  const proven = { [LABEL.zone]: zone, [LABEL.namespace]: namespace, [LABEL.displayName]: name };
  const others = Object.entries(given).filter(([key]) => !Object.hasOwn(proven, key));
  return Object.fromEntries([...others, ...Object.entries(proven).filter(([, value]) => value !== '')]);
}

/** What was read of resources, which never change: thousands of policies are matched with the same. */
const known = new WeakMap<Resource, Labels>();

/** The labels of a resource, with what its key proves. */
export function labelsOf(resource: Resource): Labels {
  const labels = known.get(resource) ?? withIdentity(resource.labels, resource.key);
  known.set(resource, labels);
  return labels;
}
