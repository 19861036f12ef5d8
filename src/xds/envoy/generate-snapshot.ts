import { asMeridianError } from '../../errors.ts';
import { socketOf } from '../../resource/ip-address.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { clusterOf } from './cluster.ts';
import { encodeResource } from '../wire/encode-resource.ts';
import { routesOf } from './http-manager.ts';
import { type InboundInput, isHttp, type ProxyInput, type UnbuiltInbound } from './inbound-input.ts';
import { listenerOf } from './listener.ts';
import type { GatewayPort } from '../gateway/gateway-input.ts';
import { buildPorts } from '../gateway/generate-gateway.ts';
import { rbacExtension } from './rbac-filters.ts';
import { secretsOf } from './mutual-tls.ts';
import { type ResourceType, type Snapshot, TYPE_URLS } from '../wire/resource-types.ts';

/** What a proxy is to have, and which of its inbounds let nobody in because they can't be built. */
export interface GeneratedSnapshot extends Snapshot {
  readonly shut: readonly UnbuiltInbound[];
}

/** Of a gateway. */
interface WithPorts {
  readonly ports?: readonly GatewayPort[] | undefined;
}

/**
 * All that a proxy is to have, as proto3 JSON (docs/design/access.md#delivery). It can be made of whatever is given: an
 * inbound that can't be built, or that has the name or the socket of another one, lets nobody in, and holds up no
 * other.
 *
 *   http inbound   cluster, routes, listener, and its RBAC as an extension config that the listener asks for
 *   tcp inbound    cluster, listener with its RBAC in it, and the RBAC as an extension config for listeners of others
 *   gateway port   routes with an RBAC for each host, listener
 *   shut inbound   the same with an RBAC that denies everybody, and without routes of its own or plain text
 */
export function generate({ inbounds, ports = [], certificates }: ProxyInput & WithPorts): GeneratedSnapshot {
  const clash = clashesIn(inbounds);
  // On HTTP what denies is asked for by its name: it is taken before what denies on TCP, should they share one.
  const made = [...inbounds.filter(isHttp), ...inbounds.filter((inbound) => !isHttp(inbound))].map((inbound) =>
    make(inbound, clash(inbound)),
  );
  const built = buildPorts(ports);
  const all = (kind: OwnKind): readonly JsonObject[] => onlyOnce(made.flatMap(({ parts }) => parts[kind]));
  return {
    clusters: [...all('clusters'), ...built.clusters],
    secrets: inbounds.length + ports.length === 0 ? [] : secretsOf(certificates),
    extensions: all('extensions'),
    listeners: [...all('listeners'), ...built.listeners],
    routes: [...all('routes'), ...built.routes],
    shut: [...made.flatMap(({ shut }) => shut ?? []), ...built.shut],
  };
}

type OwnKind = Exclude<ResourceType, 'secrets'>;
type ProxyResources = Readonly<Record<OwnKind, readonly JsonObject[]>>;

interface BuiltInbound {
  readonly parts: ProxyResources;
  readonly shut?: UnbuiltInbound;
}

const NOTHING: ProxyResources = { clusters: [], extensions: [], listeners: [], routes: [] };

function make(inbound: InboundInput, clash: string | undefined): BuiltInbound {
  const whole = clash === undefined ? attempt(inbound) : { reason: clash };
  if ('parts' in whole) return inbound.shut === undefined ? whole : { ...whole, shut: { inbound: inbound.name, reason: inbound.shut } };
  const closed = attempt(shutOff(inbound));
  // Without a listener nobody gets in either.
  return { parts: 'parts' in closed ? closed.parts : NOTHING, shut: { inbound: inbound.name, reason: inbound.shut ?? whole.reason } };
}

/** What can't be encoded is found here, where it is known whose it is. What is encoded once is so for good. */
function attempt(inbound: InboundInput): { readonly parts: ProxyResources } | { readonly reason: string } {
  try {
    const parts = partsOf(inbound);
    for (const kind of KINDS) for (const json of parts[kind]) encodeResource(TYPE_URLS[kind], json);
    return { parts };
  } catch (thrown) {
    return { reason: asMeridianError(thrown).message };
  }
}

const KINDS: readonly OwnKind[] = ['clusters', 'extensions', 'listeners', 'routes'];

function partsOf(inbound: InboundInput): ProxyResources {
  return {
    clusters: [clusterOf(inbound)],
    extensions: [rbacExtension(inbound)],
    listeners: [listenerOf(inbound)],
    routes: isHttp(inbound) ? [routesOf(inbound)] : [],
  };
}

/** It asks for nothing that could be another inbound's: whoever has its name is shut too. */
function shutOff(inbound: InboundInput): InboundInput {
  return { ...inbound, name: nameOf(inbound), serviceAddress: undefined, rbac: {}, routes: [], plaintextToo: false, asks: undefined };
}

/** As it is sent: what is no Unicode can't be, and must not have another's name then. */
const nameOf = ({ name }: InboundInput): string => name.toWellFormed();
const placeOf = ({ address, port }: InboundInput): string => socketOf(address, port);

/** Whoever shares a name or a socket is shut: which one's rules hold would be a matter of luck. */
function clashesIn(inbounds: readonly InboundInput[]): (inbound: InboundInput) => string | undefined {
  const [names, places] = [repeated(inbounds.map(nameOf)), repeated(inbounds.map(placeOf))];
  return (inbound) => {
    if (names.has(nameOf(inbound))) return `another inbound has the name ${nameOf(inbound)}`;
    return places.has(placeOf(inbound)) ? `another inbound has its address and port, ${placeOf(inbound)}` : undefined;
  };
}

function repeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.has(text) || !seen.add(text)));
}

/** Inbounds that are shut may share names: those of the first one stand for all. */
function onlyOnce(resources: readonly JsonObject[]): readonly JsonObject[] {
  const named = new Map<unknown, JsonObject>();
  for (const one of resources) if (!named.has(one.name)) named.set(one.name, one);
  return named.size === resources.length ? resources : [...named.values()];
}
