import { asObject } from '../../naming/json.ts';
import { type GatewayListener, readListener } from '../../policy/gateway/read-listener.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { readable } from '../../resource/readable-text.ts';
import { canonicalAddress, isPort } from '../../resource/ip-address.ts';

/** A listener of a gateway with its place, and why it is shut there, if it is; or why it has no place. */
type PlacedListener =
  | { readonly inbound: Inbound; readonly place: ListenerPlace; readonly shut?: string | undefined }
  | { readonly inbound: Inbound; readonly problem: string };

interface ListenerPlace {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly serviceAddress: undefined;
  readonly servicePort: number;
  readonly protocol: 'http';
  readonly gateway: GatewayListener;
}

/**
 * Where the listeners of a gateway are: those of the MeshGateways that select it, on their ports at the Dataplane's
 * address. Listeners on one port are told apart by their hostnames, so all of them must be alike in how callers come
 * in, and no two may have one hostname: nobody gets in otherwise.
 *
 *   8080 HTTP a.example, 8080 HTTP b.example   ->  both
 *   8080 HTTP a.example, 8080 HTTPS b.example  ->  neither
 */
export function gatewayPlaces(proxy: Proxy): PlacedListener[] {
  const all = proxy.inbounds.map((inbound) => (isForeign(proxy) ? { inbound, problem: FOREIGN } : placeOf(inbound)));
  const onPort = new PortNeighbours(all);
  return all.map((one) => {
    const shut = 'place' in one ? onPort.whyShut(one.place.port, one.place.gateway) : undefined;
    return shut === undefined ? one : { ...one, shut };
  });
}

const FOREIGN = 'a gateway that is not BUILTIN has listeners of its own, which are not served';

/** Whether it is a gateway with listeners that are not ours: who gets in there, we neither allow nor deny. */
export function isForeign({ type, dataplane }: Proxy): boolean {
  return type === 'Gateway' && asObject(asObject(dataplane.spec.networking)?.gateway)?.type !== 'BUILTIN';
}

function placeOf(inbound: Inbound): PlacedListener {
  const { port, listener } = inbound;
  if (!listener) return { inbound, problem: 'no MeshGateway with listeners selects this gateway' };
  const read = readListener(listener);
  const problem = (reason: string): PlacedListener => ({
    inbound,
    problem: `listener ${readable(sectionOf(inbound))} is not served: ${reason}`,
  });
  if (!isPort(port)) return problem('port is none');
  if ('problem' in read) return problem(read.problem);
  const address = canonicalAddress(inbound.address ?? '');
  if (address === undefined) return problem('its address is no IP address');
  const place = { name: sectionOf(inbound), address, port, serviceAddress: undefined, servicePort: port, protocol: 'http' } as const;
  return { inbound, place: { ...place, gateway: read } };
}

/** What listeners are on each port. */
class PortNeighbours {
  /** By port: how callers come in, as texts; and how often each hostname is there. */
  readonly #ports = new Map<number, { readonly entries: Set<string>; readonly hosts: Map<string, number> }>();

  constructor(all: readonly PlacedListener[]) {
    for (const one of all) if ('place' in one) this.#add(one.place.port, one.place.gateway);
  }

  whyShut(port: number, { hostname }: GatewayListener): string | undefined {
    const found = this.#ports.get(port);
    if ((found?.entries.size ?? 0) > 1) return 'another listener on its port has another protocol, crossMesh or certificate';
    return (found?.hosts.get(hostname) ?? 0) > 1 ? `another listener on its port has the hostname ${hostname} too` : undefined;
  }

  #add(port: number, { hostname, security }: GatewayListener): void {
    const found = this.#ports.get(port) ?? { entries: new Set(), hosts: new Map<string, number>() };
    found.entries.add(JSON.stringify(security));
    found.hosts.set(hostname, (found.hosts.get(hostname) ?? 0) + 1);
    this.#ports.set(port, found);
  }
}
