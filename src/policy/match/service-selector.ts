import { asArray, asObject } from '../../naming/json.ts';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import type { Inbound, Proxy } from './read-proxy.ts';
import { includesAll, labelsOf, textsOf } from './proxy-tags.ts';

/**
 * Whether a MeshService sends requests to this inbound; with `section`, through that port (its name or number). A
 * service selects proxies of its own zone and namespace only: whoever writes one can't draw policies about it to other
 * people's proxies.
 *
 *   selector {dataplaneTags: {app: web}}, ports [{port: 80, targetPort: 8080}]  ->  inbounds tagged app=web on 8080
 */
export function serviceSelects(service: Resource, proxy: Proxy, inbound: Inbound, section: string | undefined): boolean {
  const { mesh, zone, namespace } = service.key;
  const { key } = proxy.dataplane;
  if (key.mesh !== mesh || key.zone !== zone || key.namespace !== namespace) return false;
  return selectorSelects(service.spec.selector, proxy, inbound) && portsLeadTo(asArray(service.spec.ports).map(asObject), inbound, section);
}

function selectorSelects(selector: JsonObject[string], { dataplane }: Proxy, { tags }: Inbound): boolean {
  const { dataplaneTags, dataplaneRef, dataplaneLabels } = asObject(selector) ?? {};
  if (dataplaneRef !== undefined) return asObject(dataplaneRef)?.name === dataplane.key.name;
  if (dataplaneLabels !== undefined) {
    return includesSome(labelsOf(dataplane), textsOf(asObject(dataplaneLabels)?.matchLabels ?? dataplaneLabels));
  }
  return includesSome(tags, textsOf(dataplaneTags));
}

/** What a service that selects the inbound may ask of it (`selectorAsks`, mesh-index.ts). */
export function asksOf({ dataplane }: Proxy, { tags }: Inbound): string[] {
  const { zone, namespace, name } = dataplane.key;
  const asks = (what: string, pairs: Labels) =>
    Object.entries(pairs).map(([key, value]) => `asks ${what} ${zone} ${namespace} ${key}=${value}`);
  return [`asks name ${zone} ${namespace} ${name}`, ...asks('tag', tags), ...asks('label', labelsOf(dataplane))];
}

/** An empty selector selects nothing. */
function includesSome(tags: Labels, wanted: Labels): boolean {
  return Object.keys(wanted).length > 0 && includesAll(tags, wanted);
}

function portsLeadTo(ports: readonly (JsonObject | undefined)[], inbound: Inbound, section: string | undefined): boolean {
  if (ports.length === 0) return section === undefined;
  const meant = ports.filter((port) => section === undefined || port?.name === section || isNumbered(port, section));
  return meant.some((port) => {
    const target = port?.targetPort ?? port?.port;
    return typeof target === 'number' ? target === inbound.port : target === inbound.name;
  });
}

function isNumbered(port: JsonObject | undefined, section: string): boolean {
  return typeof port?.port === 'number' && String(port.port) === section;
}
