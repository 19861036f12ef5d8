import { asObject } from '../../naming/json.ts';
import { userLabels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { textsOf } from '../match/proxy-tags.ts';
import { type Attributes, describingLabels, siteAttributes, type Workload } from './attributes.ts';

/**
 * The labels of a Dataplane that whatever runs the workload sets, and nobody else should: Kuma's where it has them. Of
 * images Kuma knows nothing; several have commas between them.
 */
const SET_BY_ORCHESTRATOR = {
  serviceAccount: 'k8s.kuma.io/service-account',
  owner: 'kuma.io/workload',
  images: 'meridian.io/container-images',
  initImages: 'meridian.io/init-container-images',
} as const;

/**
 * What a Dataplane says of its workload (docs/design/attributes.md#where-they-come-from). The namespace is that of the
 * key; on Kubernetes the Dataplane is called as its Pod.
 */
export function readWorkload({ key, labels }: Resource): Workload {
  const own = userLabels(labels);
  const named = Object.values<string>(SET_BY_ORCHESTRATOR);
  return {
    namespace: key.namespace,
    serviceAccount: own[SET_BY_ORCHESTRATOR.serviceAccount],
    owner: own[SET_BY_ORCHESTRATOR.owner],
    pod: key.namespace === '' ? undefined : key.name,
    images: imagesIn(own[SET_BY_ORCHESTRATOR.images]),
    initImages: imagesIn(own[SET_BY_ORCHESTRATOR.initImages]),
    labels: Object.fromEntries(Object.entries(describingLabels(own)).filter(([label]) => !named.includes(label))),
  };
}

function imagesIn(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((image) => image.trim())
    .filter((image) => image !== '');
}

/** A zone as access policies know it. */
export interface Site {
  /** undefined: what its operator says contradicts itself, and nothing of the site can be believed. */
  readonly attributes: Attributes | undefined;
  /** It was disabled, so that nothing new is heard of it. */
  readonly disabled: boolean;
}

/** The sites by zone. The name of a Zone is proven, its attributes are what an operator says at global. */
export function readSites(zones: Iterable<Resource>): ReadonlyMap<string, Site> {
  return new Map([...zones].map(({ key, spec }) => [key.name, readSite(key.name, spec)]));
}

function readSite(name: string, spec: Resource['spec']): Site {
  return { attributes: siteAttributes(name, textsOf(asObject(spec.attributes))), disabled: spec.enabled === false };
}
