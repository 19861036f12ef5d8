import { asArray, asObject, asText } from '../../naming/json.ts';
import type { Key } from '../../resource/key.ts';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import type { MeshIndex } from './mesh-index.ts';
import { includesAll, textsOf, withIdentity } from './proxy-tags.ts';

/** One port that a proxy listens on for requests: an inbound of a sidecar, or a listener of a gateway. */
export interface Inbound {
  /** undefined: the proxy has no port that is known. */
  readonly port: number | undefined;
  readonly address: string | undefined;
  readonly name: string | undefined;
  /** The tags as set, but with the zone, namespace and display name that the key proves. */
  readonly tags: Labels;
  readonly protocol: 'http' | 'tcp';
  /** Whose listener it is. */
  readonly gateway: Key | undefined;
  /** That listener, as its MeshGateway has it. */
  readonly listener?: JsonObject | undefined;
  /** How many listeners of the gateway are on its port, itself among them: they are told apart by their hostnames. */
  readonly sharing?: number | undefined;
}

export interface Proxy {
  readonly dataplane: Resource;
  readonly type: 'Sidecar' | 'Gateway';
  /** Never empty: a proxy without ports has one without a number, which is what its outgoing traffic is matched by. */
  readonly inbounds: readonly Inbound[];
}

const PROTOCOL_TAG = 'kuma.io/protocol';
const HTTP = ['http', 'http2', 'grpc', 'https'];

/** What a Dataplane says of its proxy. `mesh`: for the listeners of gateways. */
export function readProxy(dataplane: Resource, mesh: MeshIndex): Proxy {
  const networking = asObject(dataplane.spec.networking) ?? {};
  const gateway = asObject(networking.gateway);
  const found = gateway
    ? listeners(dataplane, networking, gateway, mesh)
    : asArray(networking.inbound).map((item) => readInbound(dataplane, networking, item));
  const none = { port: undefined, address: undefined, name: undefined, protocol: 'tcp', gateway: undefined } as const;
  const tags = withIdentity(textsOf(gateway?.tags), dataplane.key);
  return { dataplane, type: gateway ? 'Gateway' : 'Sidecar', inbounds: found.length > 0 ? found : [{ ...none, tags }] };
}

/** The inbound that a section means: by its name or its port. */
export function findInbound({ inbounds }: Proxy, section: string): Inbound | undefined {
  return inbounds.find((inbound) => isSection(inbound, section));
}

export function isSection({ name, port }: Inbound, section: string): boolean {
  return name === section || (port !== undefined && String(port) === section);
}

function readInbound({ key }: Resource, networking: JsonObject, item: JsonValue): Inbound {
  const { port, address, name, protocol, tags } = asObject(item) ?? {};
  const set = textsOf(tags);
  return {
    port: typeof port === 'number' ? port : undefined,
    address: asText(address) ?? asText(networking.address),
    name: asText(name),
    tags: withIdentity(set, key),
    protocol: protocolOf(asText(protocol) ?? set[PROTOCOL_TAG]),
    gateway: undefined,
  };
}

/** What is not said to be HTTP is TCP, as with Kuma: then allows with HTTP conditions never match. */
function protocolOf(said: string | undefined): 'http' | 'tcp' {
  return HTTP.includes(said?.toLowerCase() ?? '') ? 'http' : 'tcp';
}

/** The listeners of the MeshGateways that select this gateway. A delegated gateway has none of ours. */
function listeners({ key }: Resource, { address }: JsonObject, { type, tags }: JsonObject, mesh: MeshIndex): Inbound[] {
  if (type === 'DELEGATED') return [];
  const set = withIdentity(textsOf(tags), key);
  const mine = mesh.ofType('MeshGateway').filter((gateway) => gateway.key.mesh === key.mesh && isSelectedBy(set, gateway));
  const place = { address: asText(address), tags: set };
  const all = mine.flatMap((gateway) => asArray(asObject(gateway.spec.conf)?.listeners).map((item) => readListener(item, place, gateway)));
  const onPort = new Map<number | undefined, number>();
  for (const { port } of all) onPort.set(port, (onPort.get(port) ?? 0) + 1);
  return all.map((inbound) => ({ ...inbound, sharing: onPort.get(inbound.port) }));
}

function isSelectedBy(tags: Labels, { spec }: Resource): boolean {
  return asArray(spec.selectors).some((selector) => {
    const wanted = asObject(asObject(selector)?.match);
    return wanted !== undefined && includesAll(tags, withoutStars(textsOf(wanted)));
  });
}

/** `*` is any value that is set: the gateway's tags are an operator's, and selectors of older meshes have it. */
function withoutStars(wanted: Labels): Labels {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== '*'));
}

/** `place`: of the Dataplane. */
function readListener(item: JsonValue, place: Pick<Inbound, 'address' | 'tags'>, gateway: Resource): Inbound {
  const listener = asObject(item) ?? {};
  const { port, protocol, tags } = listener;
  return {
    port: typeof port === 'number' ? port : undefined,
    address: place.address,
    name: undefined,
    tags: { ...textsOf(gateway.spec.tags), ...textsOf(tags), ...place.tags },
    protocol: protocolOf(asText(protocol)),
    gateway: gateway.key,
    listener,
  };
}
