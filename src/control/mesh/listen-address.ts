import { asArray, asObject, asText } from '../../naming/json.ts';
import type { GatewayListener } from '../../policy/gateway/read-listener.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { readable } from '../../resource/readable-text.ts';
import { canonicalAddress, isPort, socketOf } from '../../resource/ip-address.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { gatewayPlaces, isForeign } from './gateway-places.ts';

export type ListenProtocol = 'tcp' | 'http' | 'http2' | 'grpc';

/** Where requests come in, and where they go. */
export interface ListenAddress {
  /** The inbound's name, else its port. */
  readonly name: string;
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** An IP address; undefined: loopback. */
  readonly serviceAddress: string | undefined;
  readonly servicePort: number;
  readonly protocol: ListenProtocol;
  /** Of a gateway's listener: which requests it is for, and how they come in. Its routes say where they go. */
  readonly gateway?: GatewayListener | undefined;
}

/** What the rules of an inbound can see: requests, or connections alone. */
export const SEEN_AS: Readonly<Record<ListenProtocol, Inbound['protocol']>> = { tcp: 'tcp', http: 'http', http2: 'http', grpc: 'http' };

/** An inbound that lets nobody in, whatever the policies say. */
export interface ShutInbound {
  /** Its name, else its port. */
  readonly inbound: string;
  readonly reason: string;
}

/** An inbound of a Dataplane with its place, and why it is shut there, if it is; or why it has no place. */
export type PlacedInbound =
  | { readonly inbound: Inbound; readonly place: ListenAddress; readonly shut?: string | undefined }
  | { readonly inbound?: Inbound | undefined; readonly problem: string };

/**
 * Where the inbounds of a Dataplane are. What can't be read has no place, so that nobody gets in there; nor does
 * anybody where two have one name or one socket, which no Dataplane that is accepted today has.
 *
 *   {port: 8080, servicePort: 80, ...}  ->  listens on 8080 of networking.address, leads to 127.0.0.1:80
 */
export function placesOf(proxy: Proxy): PlacedInbound[] {
  if (proxy.type === 'Gateway') return gatewayPlaces(proxy);
  const items = asArray(asObject(proxy.dataplane.spec.networking)?.inbound);
  // `readProxy` gives one inbound for each item, in their order.
  const all = items.flatMap((item, index) => {
    const inbound = proxy.inbounds[index];
    return inbound ? [placed(inbound, asObject(item) ?? {}, index)] : [];
  });
  return shutClashing(all);
}

/** Why nobody gets in at an inbound, whatever the policies say; undefined: that depends on them. */
export function whyShut(placed: readonly PlacedInbound[], inbound: Inbound): string | undefined {
  const found = placed.find((one) => one.inbound === inbound);
  return found && ('problem' in found ? found.problem : found.shut);
}

/**
 * What of a Dataplane nobody gets in at, as it is written: for whoever shows it. Of listeners that are not ours nothing
 * is said here.
 */
export function shutNotes(proxy: Proxy): string[] {
  if (isForeign(proxy)) return [];
  return placesOf(proxy).flatMap((one) => {
    if ('problem' in one) return [one.problem];
    return one.shut === undefined ? [] : [lettingNobodyIn(one.place.name, one.shut)];
  });
}

/** As it is told wherever the problems of a proxy are. */
export function lettingNobodyIn(inbound: string, reason: string): string {
  return `inbound ${readable(inbound)} lets nobody in: ${readable(reason)}`;
}

function shutClashing(all: readonly PlacedInbound[]): PlacedInbound[] {
  const places = all.flatMap((one) => ('place' in one ? [one.place] : []));
  const [names, sockets] = [repeated(places.map(({ name }) => name)), repeated(places.map(socketAt))];
  return all.map((one) => {
    if ('problem' in one) return one;
    const { name } = one.place;
    if (one.shut !== undefined) return one;
    if (names.has(name)) return { ...one, shut: `another inbound is called ${readable(name)} too` };
    return sockets.has(socketAt(one.place)) ? { ...one, shut: `another inbound is on its socket too, ${socketAt(one.place)}` } : one;
  });
}

const socketAt = ({ address, port }: ListenAddress): string => socketOf(address, port);

function repeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.has(text) || !seen.add(text)));
}

function placed(inbound: Inbound, item: JsonObject, index: number): PlacedInbound {
  const { port } = inbound;
  const [servicePort, said] = [item.servicePort ?? port, asText(item.serviceAddress)];
  const [address, serviceAddress] = [canonicalAddress(inbound.address ?? ''), said === undefined ? undefined : canonicalAddress(said)];
  const problem = (reason: string): PlacedInbound => ({ inbound, problem: `networking.inbound[${index}] is not served: ${reason}` });
  if (!isPort(port)) return problem('port is none');
  if (!isPort(servicePort)) return problem('servicePort is none');
  if (address === undefined) return problem('its address is no IP address');
  if (said !== undefined && serviceAddress === undefined) return problem('serviceAddress is no IP address');
  const place = { name: sectionOf(inbound), address, port, serviceAddress, servicePort, protocol: protocolOf(inbound, item) };
  return place.name.isWellFormed() ? { inbound, place } : { inbound, place, shut: 'its name is not well formed' };
}

/** The matcher tells HTTP from TCP alone; to the application it matters which HTTP. */
function protocolOf({ protocol }: Inbound, { protocol: said, tags }: JsonObject): ListenProtocol {
  if (protocol === 'tcp') return 'tcp';
  const name = (asText(said) ?? asText(asObject(tags)?.['kuma.io/protocol']))?.toLowerCase();
  return name === 'http2' || name === 'grpc' ? name : 'http';
}
