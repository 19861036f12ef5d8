import { compareText } from '../../resource/key.ts';
import { LABEL, type Labels, userLabels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { attributeKey, type AttributeSet, siteKey } from './attribute-keys.ts';

/** Attributes by their keys, each as `attributeKey` has it, so that no alias hides one. */
export type Attributes = ReadonlyMap<string, string>;

/** What is known of the workload that calls. */
export interface Workload {
  /** '' where there are no namespaces. */
  readonly namespace: string;
  readonly serviceAccount?: string | undefined;
  readonly labels: Labels;
  readonly images?: readonly string[] | undefined;
  readonly initImages?: readonly string[] | undefined;
  readonly pod?: string | undefined;
  /** What made the Pod: a Deployment, a Job. */
  readonly owner?: string | undefined;
}

/** What is known of the service that is called: its display name, its namespace ('': none) and its user's labels. */
export interface CalledService {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Labels;
}

/**
 * A set as people write it, with any of the aliases. Keys that no such set has are left out. undefined: one attribute
 * is given two values, and neither can be believed.
 *
 *   source {client.clusterlink.net/namespace: pay, colour: red}  ->  {k8s:ns: pay}
 */
export function readAttributes(side: AttributeSet, given: Labels): Attributes | undefined {
  const known = Object.entries(given).flatMap(([key, value]) => {
    const name = attributeKey(side, key);
    return name === undefined ? [] : [[name, value] as const];
  });
  return unite(known);
}

/**
 * The attributes of a site: its name (the zone's) and what its operator says (`attributes` of a Zone). undefined: they
 * contradict each other.
 */
export function siteAttributes(name: string, given: Labels): Attributes | undefined {
  return unite([['site:name', name], ...Object.entries(given).map(([key, value]) => [siteKey(key), value] as const)]);
}

/**
 * The source set (docs/design/attributes.md#deciding). It is empty, and hence denied, unless both are known: what is
 * merely absent would match `NotIn` and `DoesNotExist`.
 */
export function sourceAttributes(workload: Workload | undefined, site: Attributes | undefined): Attributes {
  return joinSite(new Map(workload ? workloadAttributes(workload) : []), site);
}

/** The source set of a workload's own attributes, with those of its site. */
export function joinSite(own: Attributes, site: Attributes | undefined): Attributes {
  return own.size > 0 && site ? new Map([...own, ...site]) : new Map();
}

/** The destination set. */
export function destinationAttributes(service: CalledService, site: Attributes): Attributes {
  return new Map([...serviceAttributes(service), ...site]);
}

export function serviceAttributes({ name, namespace, labels }: CalledService): Attributes {
  return new Map([['service:name', name], ...present('k8s:ns', namespace), ...labelled(labels)]);
}

/** What a MeshService says of itself. */
export function readService({ key, labels }: Resource): CalledService {
  return { name: key.name, namespace: key.namespace, labels: describingLabels(labels) };
}

/**
 * The labels that say what something is: without those that a control plane computes, which differ from zone to zone,
 * and those that tell it what to do.
 */
export function describingLabels(labels: Labels): Labels {
  const orders: readonly string[] = [LABEL.sync, LABEL.effect];
  return Object.fromEntries(
    Object.entries(userLabels(labels)).filter(([label]) => !orders.includes(label) && !label.startsWith('meridian.io/')),
  );
}

type AttributeEntry = readonly [key: string, value: string];

function workloadAttributes({ namespace, serviceAccount, labels, images, initImages, pod, owner }: Workload): AttributeEntry[] {
  return [
    ...present('k8s:ns', namespace),
    ...present('k8s:sa', serviceAccount),
    ...present('k8s:container-image', join(images)),
    ...present('k8s:init-container-image', join(initImages)),
    ...present('k8s:pod', pod),
    ...present('k8s:owner', owner),
    ...labelled(labels),
  ];
}

function labelled(labels: Labels): AttributeEntry[] {
  return Object.entries(labels).map(([key, value]) => [`k8s:label:${key}`, value] as const);
}

function present(key: string, value: string | undefined): AttributeEntry[] {
  return value ? [[key, value]] : [];
}

/** Sorted, so that the order in which a Pod lists them says nothing (docs/design/attributes.md#attributes). */
function join(images: readonly string[] = []): string {
  return [...images].sort(compareText).join(',');
}

function unite(entries: Iterable<AttributeEntry>): Attributes | undefined {
  const united = new Map<string, string>();
  for (const [key, value] of entries) {
    if ((united.get(key) ?? value) !== value) return undefined;
    united.set(key, value);
  }
  return united;
}
