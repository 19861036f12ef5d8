import { isIP } from 'node:net';
import { asArray, asObject, asText } from '../../naming/json.ts';
import { NOT_SERVED } from '../../policy/enforcement.ts';
import { sectionOf } from '../../policy/inspect/layout.ts';
import type { Inbound, Proxy } from '../../policy/match/proxy.ts';
import type { JsonObject, JsonValue } from '../../resource/resource.ts';
import type { Place } from './rules.ts';

/** An inbound of a Dataplane with its place, or why it has none. */
export type Placed = { readonly inbound: Inbound; readonly place: Place } | { readonly problem: string };

/**
 * Where the inbounds of a Dataplane are. What can't be read has no place, so that nobody gets in there.
 *
 *   {port: 8080, servicePort: 80, tags: {kuma.io/protocol: http}}  ->  listens on 8080 of networking.address, leads to 127.0.0.1:80
 */
export function placesOf(proxy: Proxy): Placed[] {
  const unserved = NOT_SERVED[proxy.type];
  if (unserved !== undefined) return [{ problem: unserved }];
  const items = asArray(asObject(proxy.dataplane.spec.networking)?.inbound);
  // `readProxy` gives one inbound for each item, in their order.
  return items.flatMap((item, index) => {
    const inbound = proxy.inbounds[index];
    return inbound ? [placed(inbound, asObject(item) ?? {}, index)] : [];
  });
}

function placed(inbound: Inbound, item: JsonObject, index: number): Placed {
  const { address, port } = inbound;
  const [servicePort, serviceAddress] = [item.servicePort ?? port, asText(item.serviceAddress)];
  const problem = (reason: string): Placed => ({ problem: `networking.inbound[${index}] is not served: ${reason}` });
  if (!isPort(port)) return problem('port is none');
  if (!isPort(servicePort)) return problem('servicePort is none');
  if (address === undefined || isIP(address) === 0) return problem('its address is no IP address');
  if (serviceAddress !== undefined && isIP(serviceAddress) === 0) return problem('serviceAddress is no IP address');
  const place = { name: sectionOf(inbound), address, port, serviceAddress, servicePort, protocol: protocolOf(inbound, item) };
  return { inbound, place };
}

function isPort(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

/** The matcher tells HTTP from TCP alone; to the application it matters which HTTP. */
function protocolOf({ protocol }: Inbound, { protocol: said, tags }: JsonObject): Place['protocol'] {
  if (protocol === 'tcp') return 'tcp';
  const name = (asText(said) ?? asText(asObject(tags)?.['kuma.io/protocol']))?.toLowerCase();
  return name === 'http2' || name === 'grpc' ? name : 'http';
}
