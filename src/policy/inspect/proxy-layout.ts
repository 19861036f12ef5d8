import { asArray, asObject, asText } from '../../naming/json.ts';
import { formatKri } from '../../resource/key.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import type { MeshIndex } from '../match/mesh-index.ts';
import { type Inbound, isSection, type Proxy } from '../match/read-proxy.ts';

/** A port of a proxy, or of a service that it may call. */
export interface Port {
  readonly kri: string;
  readonly port: number;
  /** As it is declared: `http2` and `grpc` too. */
  readonly protocol: string;
}

/** The section by which an inbound is known: its name, else its port; '' for a proxy without ports. */
export function sectionOf({ name, port }: Inbound): string {
  return name ?? (port === undefined ? '' : String(port));
}

export function inboundKri({ dataplane }: Proxy, inbound: Inbound): string {
  return formatKri(dataplane.key, sectionOf(inbound));
}

/** The ports that a proxy listens on for requests. */
export function inboundPorts(proxy: Proxy): readonly Port[] {
  return proxy.inbounds.flatMap((inbound) => {
    const { port } = inbound;
    return port === undefined ? [] : [{ kri: inboundKri(proxy, inbound), port, protocol: declaredProtocol(proxy, inbound) }];
  });
}

/** The matcher tells HTTP from TCP alone. */
export function declaredProtocol({ dataplane }: Proxy, inbound: Inbound): string {
  const written = asArray(asObject(dataplane.spec.networking)?.inbound)
    .map(asObject)
    .find((item) => item?.port === inbound.port || (inbound.name !== undefined && item?.name === inbound.name));
  const said = asText(written?.protocol) ?? asText(asObject(written?.tags)?.['kuma.io/protocol']);
  return said?.toLowerCase() ?? inbound.protocol;
}

/** Kinds that a proxy may call, and where their ports are. */
const SERVICES: Readonly<Record<string, (spec: JsonObject) => readonly (JsonObject | undefined)[]>> = {
  MeshService: ({ ports }) => asArray(ports).map(asObject),
  MeshMultiZoneService: ({ ports }) => asArray(ports).map(asObject),
  MeshExternalService: ({ match }) => [asObject(match)],
};

/** The ports of every service of the mesh: what a proxy may call, as far as policies let it. */
export function outboundPorts(mesh: MeshIndex): readonly Port[] {
  return Object.entries(SERVICES).flatMap(([type, portsOf]) =>
    mesh.ofType(type).flatMap((service) => portsOf(service.spec).flatMap((port) => toPort(service, port))),
  );
}

function toPort({ key }: Resource, port: JsonObject | undefined): Port[] {
  const number = port?.port;
  if (typeof number !== 'number') return [];
  const protocol = asText(port?.appProtocol) ?? asText(port?.protocol) ?? 'tcp';
  return [{ kri: formatKri(key, asText(port?.name) ?? String(number)), port: number, protocol }];
}

/** The inbounds with that name or port: more than one where two have the same. */
export function inboundsAt({ inbounds }: Proxy, section: string): readonly Inbound[] {
  return inbounds.filter((inbound) => isSection(inbound, section));
}
