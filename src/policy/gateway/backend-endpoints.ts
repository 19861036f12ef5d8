import { asArray, asObject } from '../../naming/json.ts';
import { spiffeIdOfDataplane } from '../callers/caller-identity.ts';
import { canonicalAddress } from '../../resource/ip-address.ts';
import type { JsonObject, JsonValue, Resource } from '../../resource/resource.ts';
import { declaredProtocol } from '../inspect/proxy-layout.ts';
import { type MeshIndex, selectorAsks } from '../match/mesh-index.ts';
import { SERVICE_TAG } from '../match/proxy-tags.ts';
import { type Inbound, type Proxy, readProxy } from '../match/read-proxy.ts';
import { leadsTo, servicesLedTo } from '../match/route-selection.ts';
import { asksOf } from '../match/service-selector.ts';

/** Where a proxy takes requests over mutual TLS. */
export interface BackendEndpoint {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** SPIFFE IDs, one of which it must show. */
  readonly identities: readonly string[];
  readonly http2: boolean;
}

interface ListeningInbound {
  readonly proxy: Proxy;
  readonly inbound: Inbound;
}

const HTTP2 = ['http2', 'grpc'];

/** The inbounds of a zone's sidecars, by what services ask of them. */
export class BackendEndpoints {
  readonly #mesh: MeshIndex;
  readonly #byAsk = new Map<string, ListeningInbound[]>();

  constructor(dataplanes: readonly Resource[], zone: string, mesh: MeshIndex) {
    this.#mesh = mesh;
    for (const dataplane of dataplanes) {
      if (dataplane.key.zone !== zone || asObject(asObject(dataplane.spec.networking)?.gateway)) continue;
      const proxy = readProxy(dataplane, mesh);
      for (const inbound of proxy.inbounds) this.#add({ proxy, inbound });
    }
  }

  /** Where a backend of a route leads to, in this zone; none where no address is known. */
  of(backend: JsonValue, route: Resource): BackendEndpoint[] {
    const ref = asObject(backend) ?? {};
    const asks = [tagAsk(ref.name), ...servicesLedTo(ref, route, this.#mesh).flatMap(selectorAsks)];
    const found = new Set(asks.flatMap((ask) => this.#byAsk.get(ask) ?? []));
    return [...found]
      .filter(({ proxy, inbound }) => leadsTo(ref, route, proxy, inbound, this.#mesh))
      .flatMap(toEndpoint)
      .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.port - b.port));
  }

  #add(listening: ListeningInbound): void {
    const { proxy, inbound } = listening;
    for (const ask of [tagAsk(inbound.tags[SERVICE_TAG]), ...asksOf(proxy, inbound)]) {
      const known = this.#byAsk.get(ask);
      if (known) known.push(listening);
      else this.#byAsk.set(ask, [listening]);
    }
  }
}

function tagAsk(service: JsonValue | undefined): string {
  return `service ${JSON.stringify(service ?? null)}`;
}

/** What can't be reached, as it is written, is none. An inbound that is not ready, or is ignored, neither. */
function toEndpoint({ proxy, inbound }: ListeningInbound): BackendEndpoint[] {
  const { port, tags } = inbound;
  const address = canonicalAddress(inbound.address ?? '');
  if (address === undefined || port === undefined || !isReady(proxy, inbound)) return [];
  const { dataplane } = proxy;
  const service = tags[SERVICE_TAG];
  const identities = [spiffeIdOfDataplane(dataplane), service === undefined ? undefined : `spiffe://${dataplane.key.mesh}/${service}`];
  return [
    { address, port, identities: identities.filter((id) => id !== undefined), http2: HTTP2.includes(declaredProtocol(proxy, inbound)) },
  ];
}

function isReady({ dataplane }: Proxy, inbound: Inbound): boolean {
  const items: readonly (JsonObject | undefined)[] = asArray(asObject(dataplane.spec.networking)?.inbound).map(asObject);
  const states = items.filter((item) => item?.port === inbound.port).map((item) => item?.state);
  return states.every((state) => state === undefined || state === 'Ready');
}
