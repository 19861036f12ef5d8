import { fromBinary, type Message } from '@bufbuild/protobuf';
import { ProtobufWriter } from './protobuf-writer.ts';
import type { EncodedResource } from './encode-resource.ts';
import { messageOf } from './type-registry.ts';

/** The one method of the aggregated discovery service that is served. */
export const DELTA_PATH = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';

const REQUEST = messageOf('envoy.service.discovery.v3.DeltaDiscoveryRequest');

/** A DeltaDiscoveryRequest as far as it is looked at. */
export interface DeltaRequest {
  readonly typeUrl: string;
  /** Who asks: in the first message of a stream at least. */
  readonly node: { readonly id: string; readonly version: EnvoyVersion | undefined } | undefined;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the proxy has from before this stream: name to version. */
  readonly initialVersions: Readonly<Record<string, string>>;
  /** Of the response that this answers; '' when it answers none. */
  readonly nonce: string;
  /** Why that response is refused; undefined: it is not. */
  readonly error: string | undefined;
}

export interface EnvoyVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A DeltaDiscoveryResponse. */
export interface DeltaResponse {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly EncodedResource[];
  readonly removed: readonly string[];
}

/** The message as protobuf gives it: the fields that are read here. */
interface RawRequest extends Message {
  readonly typeUrl: string;
  readonly node?: { readonly id: string; readonly userAgentVersionType: { readonly case: string | undefined; readonly value?: RawBuild } };
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  readonly initialResourceVersions: Readonly<Record<string, string>>;
  readonly responseNonce: string;
  readonly errorDetail?: { readonly message: string };
}

interface RawBuild {
  readonly version?: { readonly majorNumber: number; readonly minorNumber: number; readonly patch: number };
}

/** Throws what protobuf throws for bytes that are not such a message. */
export function readRequest(bytes: Uint8Array): DeltaRequest {
  const raw = fromBinary(REQUEST, bytes) as RawRequest;
  return {
    typeUrl: raw.typeUrl,
    node: raw.node && { id: raw.node.id, version: versionOf(raw.node.userAgentVersionType) },
    subscribe: raw.resourceNamesSubscribe,
    unsubscribe: raw.resourceNamesUnsubscribe,
    initialVersions: raw.initialResourceVersions,
    nonce: raw.responseNonce,
    error: raw.errorDetail && (raw.errorDetail.message || 'it does not say why'),
  };
}

function versionOf(said: { readonly case: string | undefined; readonly value?: RawBuild }): EnvoyVersion | undefined {
  const version = said.case === 'userAgentBuildVersion' ? said.value?.version : undefined;
  return version && { major: version.majorNumber, minor: version.minorNumber, patch: version.patch };
}

/** The numbers of the fields of the messages that a response is made of. */
const FIELD = {
  response: { resources: 2, typeUrl: 4, nonce: 5, removedResources: 6 },
  resource: { version: 1, resource: 2, name: 3 },
  any: { typeUrl: 1, value: 2 },
} as const;

/**
 * Written straight away: a resource may have megabytes, and protobuf-es copies them once for each message that they are
 * in.
 */
export function writeResponse({ typeUrl, nonce, resources, removed }: DeltaResponse): Buffer {
  const { response } = FIELD;
  out.clear();
  for (const name of removed.toReversed()) text(response.removedResources, name);
  text(response.nonce, nonce);
  text(response.typeUrl, typeUrl);
  for (const resource of resources.toReversed()) writeResource(typeUrl, resource);
  return out.since(0);
}

/** One for all. */
const out = new ProtobufWriter();

function writeResource(typeUrl: string, { name, version, value }: EncodedResource): void {
  const { response, resource, any } = FIELD;
  const from = out.size;
  text(resource.name, name);
  const inner = out.size;
  out.bytes(value);
  out.close(any.value, inner);
  text(any.typeUrl, typeUrl);
  out.close(resource.resource, inner);
  text(resource.version, version);
  out.close(response.resources, from);
}

function text(field: number, value: string): void {
  const from = out.size;
  out.bytes(Buffer.from(value));
  out.close(field, from);
}
