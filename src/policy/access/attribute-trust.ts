import type { Attributes } from './attributes.ts';

/** What an attribute is of. */
type AttributeScope = 'fabric' | 'site' | 'service' | 'workload';

/**
 * Whose word an attribute is (docs/design/attributes.md#trust), from the one to rely on most:
 *
 *   proven         the transport, by the credential of the zone
 *   operator       who runs the fabric, at global or in the configuration of the zone
 *   orchestrator   what runs the workload, such as Kubernetes
 *   owner          who deploys the workload or the service
 */
export const TRUSTS = ['proven', 'operator', 'orchestrator', 'owner'] as const;

type Trust = (typeof TRUSTS)[number];

export interface Origin {
  readonly scope: AttributeScope;
  /** For people: where it is read. */
  readonly source: string;
  readonly trust: Trust;
}

/** An attribute as it is shown. */
export interface KnownAttribute extends Origin {
  readonly key: string;
  readonly value: string;
}

const WHOLE: Readonly<Record<string, Origin>> = {
  'cl:fabric': { scope: 'fabric', source: 'Zone', trust: 'operator' },
  'site:name': { scope: 'site', source: "the zone's credential", trust: 'proven' },
  'service:name': { scope: 'service', source: 'MeshService', trust: 'orchestrator' },
  'k8s:sa': { scope: 'workload', source: 'Dataplane, label k8s.kuma.io/service-account', trust: 'orchestrator' },
  'k8s:container-image': { scope: 'workload', source: 'Dataplane, label meridian.io/container-images', trust: 'orchestrator' },
  'k8s:init-container-image': { scope: 'workload', source: 'Dataplane, label meridian.io/init-container-images', trust: 'orchestrator' },
  'k8s:pod': { scope: 'workload', source: 'Dataplane, name', trust: 'orchestrator' },
  'k8s:owner': { scope: 'workload', source: 'Dataplane, label kuma.io/workload', trust: 'orchestrator' },
};

/**
 * Where an attribute comes from. `key` as `attributeKey` has it; `of`: what the set that holds it is of, for the keys
 * that a workload and a service both have.
 */
export function originOf(key: string, of: 'workload' | 'service'): Origin {
  const whole = Object.hasOwn(WHOLE, key) ? WHOLE[key] : undefined;
  if (whole) return whole;
  if (key.startsWith('site:') || key.startsWith('cl:site:')) return { scope: 'site', source: 'Zone', trust: 'operator' };
  const resource = of === 'workload' ? 'Dataplane' : 'MeshService';
  if (key === 'k8s:ns') return { scope: of, source: `${resource}, namespace`, trust: 'orchestrator' };
  return { scope: of, source: `${resource}, label`, trust: 'owner' };
}

/** A set as it is shown, by key. */
export function describeAttributes(attributes: Attributes, of: 'workload' | 'service'): KnownAttribute[] {
  return [...attributes].map(([key, value]) => ({ key, value, ...originOf(key, of) })).sort((a, b) => (a.key < b.key ? -1 : 1));
}
