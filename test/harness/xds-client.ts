import { type ChannelCredentials, Client, credentials, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { messageOf } from '../../src/xds/wire/type-registry.ts';
import { DELTA_PATH } from '../../src/xds/wire/delta-messages.ts';
import type { Scope } from './scope.ts';
import { until } from './until.ts';

const REQUEST = messageOf('envoy.service.discovery.v3.DeltaDiscoveryRequest');
const RESPONSE = messageOf('envoy.service.discovery.v3.DeltaDiscoveryResponse');

/** A response as protobuf gives it. */
export interface XdsResponse extends Message {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly { readonly name: string; readonly version: string }[];
  readonly removedResources: readonly string[];
}

/** A stream of delta xDS, by hand. */
export interface XdsStream {
  /** Proto3 JSON names, as protobuf-es has them: `{ typeUrl, node, resourceNamesSubscribe, ... }`. */
  send(request: Record<string, unknown>): void;
  /** Accepts a response, or refuses it with a reason. */
  answer(response: XdsResponse, reason?: string): void;
  readonly received: readonly XdsResponse[];
  /** Waits for the response number `index`, from 0. */
  at(index: number): Promise<XdsResponse>;
  /** How it ended: the code's name and what the server said. Waits for it. */
  end(): Promise<string>;
  cancel(): void;
}

/** What a proxy's first message says of it; `minor` of Envoy's version 1.x. */
export const node = (id: string, minor = 40) => ({
  id,
  userAgentVersionType: { case: 'userAgentBuildVersion', value: { version: { majorNumber: 1, minorNumber: minor } } },
});

export function openXdsStream(
  scope: Scope,
  port: number,
  metadata: Metadata,
  by: ChannelCredentials = credentials.createInsecure(),
): XdsStream {
  // As Envoy: it takes messages of any size.
  const options = { 'grpc.use_local_subchannel_pool': 1, 'grpc.ssl_target_name_override': 'xds', 'grpc.max_receive_message_length': -1 };
  const client = new Client(`127.0.0.1:${port}`, by, options);
  const serialize = (request: Record<string, unknown>) => Buffer.from(toBinary(REQUEST, create(REQUEST, request)));
  const stream = client.makeBidiStreamRequest(
    DELTA_PATH,
    serialize,
    (bytes: Buffer) => fromBinary(RESPONSE, bytes) as XdsResponse,
    metadata,
  );
  const received: XdsResponse[] = [];
  let ended: string | undefined;
  stream.on('data', (response: XdsResponse) => received.push(response));
  stream.on('error', ({ code, details }: ServiceError) => (ended = `${status[code]}: ${details}`));
  stream.on('end', () => (ended ??= 'OK'));
  scope.add(() => {
    stream.cancel();
    client.close();
  });
  return {
    received,
    send: (request) => void stream.write(request),
    answer: ({ typeUrl, nonce }, reason) =>
      void stream.write({ typeUrl, responseNonce: nonce, ...(reason === undefined ? {} : { errorDetail: { message: reason } }) }),
    at: (index) => until(`response ${index}`, () => received[index] ?? (ended ? Promise.reject(new Error(ended)) : undefined), 10),
    end: () => until('the end of the stream', () => ended, 10),
    cancel: () => stream.cancel(),
  };
}
