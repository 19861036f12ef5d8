import { type Attributes, destinationAttributes, readService } from '../access/attributes.ts';
import { SERVICE_TAG } from '../match/proxy-tags.ts';
import type { MeshIndex } from '../match/mesh-index.ts';
import type { Inbound, Proxy } from '../match/read-proxy.ts';
import { asksOf, serviceSelects } from '../match/service-selector.ts';
import { compareKeys, compareText } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';

/** What an inbound is to those who call it: a service of its site. */
export interface CalledDestination {
  /** Equal for two with the same attributes in the same namespace. */
  readonly id: string;
  /** Whose policies are asked: those of the service's namespace, beside those that have none. */
  readonly namespace: string;
  /** undefined: nothing is known of the site. */
  readonly attributes: Attributes | undefined;
}

/**
 * The services that an inbound is (docs/design/attributes.md#in-envoy): each MeshService that leads to it. Where none
 * does, it is what its tag `kuma.io/service` calls it, in the namespace of its Dataplane.
 *
 *   MeshService ledger of pay {tier: gold}  ->  {service:name: ledger, k8s:ns: pay, k8s:label:tier: gold, site:...}
 *   tagged kuma.io/service: ledger, no MeshService        ->  {service:name: ledger, k8s:ns: pay, site:...}
 */
export function destinationsOf(proxy: Proxy, inbound: Inbound, mesh: MeshIndex, site: Attributes | undefined): CalledDestination[] {
  const services = servicesAt(proxy, inbound, mesh).map(readService);
  const { namespace } = proxy.dataplane.key;
  const called = services.length > 0 ? services : [{ name: inbound.tags[SERVICE_TAG] ?? '', namespace, labels: {} }];
  const all = called.map((service) => toDestination(service.namespace, site && named(destinationAttributes(service, site))));
  return [...new Map(all.map((one) => [one.id, one])).values()].sort((a, b) => compareText(a.id, b.id));
}

/** The MeshServices that lead to an inbound, by key: in whichever order they were written, an answer is the same. */
export function servicesAt(proxy: Proxy, inbound: Inbound, mesh: MeshIndex): Resource[] {
  const asked = mesh.targets('MeshService').selecting(asksOf(proxy, inbound));
  return [...asked].filter((service) => serviceSelects(service, proxy, inbound, undefined)).sort((a, b) => compareKeys(a.key, b.key));
}

/** Without a name it has none, rather than an empty one. */
function named(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([key, value]) => key !== 'service:name' || value !== ''));
}

function toDestination(namespace: string, attributes: Attributes | undefined): CalledDestination {
  const entries = attributes && [...attributes].sort(([a], [b]) => compareText(a, b));
  return { id: JSON.stringify([namespace, entries ?? null]), namespace, attributes };
}
