import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, type ServiceDefinition } from '@grpc/grpc-js';
import { MeridianError } from '../../errors.ts';
import { isLoopback } from '../../resource/ip-address.ts';
import type { Authenticate } from './authenticate-caller.ts';
import { answerCheck, type CallChecks } from './check-calls.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { listen } from './grpc-listener.ts';
import { Proxies, type ProxyView } from './connected-proxies.ts';
import type { ProxyId } from './proxy-id.ts';
import type { Report } from '../../report.ts';
import { type DeltaCall, serve, type StreamContext } from './stream.ts';
import type { XdsTls } from './tls-files.ts';
import type { Snapshot } from '../wire/resource-types.ts';
import { CHECK_PATH, type CheckRequest, type CheckResponse, readCheck, writeCheck } from '../wire/check-messages.ts';
import { DELTA_PATH, readRequest, writeResponse } from '../wire/delta-messages.ts';

export interface XdsOptions {
  /** An IP address. One that is not loopback needs `tls`: tokens are sent over it. */
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  readonly tls?: XdsTls | undefined;
  readonly authenticate: Authenticate;
  readonly snapshotOf: (proxy: ProxyId) => Snapshot | undefined;
  /** What decides about calls that proxies ask about; undefined: nobody may ask, so that those calls are denied. */
  readonly checks?: CallChecks | undefined;
  readonly report: Report;
  readonly clock?: Clock;
}

/** A running server. */
export interface Xds {
  readonly port: number;
  /** Asks again what a proxy is to have, or each of those that are connected, and sends what differs. */
  changed(proxy?: ProxyId): void;
  /** Asks again who is who: what proofs are judged by is another. Streams without a proof end. */
  judge(): void;
  /** undefined: no proxy of that name has proven itself lately. */
  view(proxy: ProxyId): ProxyView | undefined;
  views(): ProxyView[];
  /** The proxies that have a stream now. */
  connected(): ProxyId[];
  /** Ends all streams, each with a word, and resolves when the connections are closed, a second later at the latest. */
  close(): Promise<void>;
}

/** A proxy that vanished without a word is noticed after both. */
const KEEPALIVE = { 'grpc.keepalive_time_ms': 30_000, 'grpc.keepalive_timeout_ms': 10_000 };

const DRAIN = 1_000;

const SERVICE = {
  deltaAggregatedResources: {
    path: DELTA_PATH,
    requestStream: true,
    responseStream: true,
    requestDeserialize: readRequest,
    responseSerialize: writeResponse,
    requestSerialize: () => Buffer.alloc(0),
    responseDeserialize: () => ({}),
  },
} satisfies ServiceDefinition;

type CheckCall = ServerUnaryCall<CheckRequest, CheckResponse>;
type CheckAnswer = sendUnaryData<CheckResponse>;

const AUTHORIZATION = {
  check: {
    path: CHECK_PATH,
    requestStream: false,
    responseStream: false,
    requestDeserialize: readCheck,
    responseSerialize: writeCheck,
    requestSerialize: () => Buffer.alloc(0),
    responseDeserialize: () => ({ allowed: false, reason: '' }),
  },
} satisfies ServiceDefinition;

/**
 * Serves delta xDS to Envoys, the aggregated discovery service over gRPC, and answers what they ask about calls.
 * Throws `invalid` (an address that is not loopback, without TLS; TLS files that can't be used) and `unavailable` (the
 * port can't be had).
 */
export async function startXds(options: XdsOptions): Promise<Xds> {
  const { address, port, tls, authenticate, snapshotOf, checks, report, clock = SYSTEM_CLOCK } = options;
  if (!tls && !isLoopback(address)) throw new MeridianError('invalid', `xDS on ${address} needs TLS: tokens would be sent in plain text`);
  const proxies = new Proxies(clock);
  const shared: StreamContext = { authenticate, snapshotOf, proxies, clock, report };
  const server = new Server(KEEPALIVE);
  server.addService(SERVICE, { deltaAggregatedResources: (call: DeltaCall) => serve(call, shared) });
  if (checks)
    server.addService(AUTHORIZATION, { check: (call: CheckCall, answer: CheckAnswer) => answerCheck(call, answer, checks, report) });
  // What comes in is taken by `listen`, which has spoken TLS with it if it has to.
  const connections = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listening = await listen({ address, port, tls, report, onConnection: (socket) => connections.injectConnection(socket) });
  return {
    port: listening.port,
    changed: (proxy) => {
      for (const stream of proxies.streams(proxy)) stream.changed();
    },
    judge: () => {
      for (const stream of proxies.streams()) stream.judge();
    },
    view: (proxy) => proxies.view(proxy),
    views: () => proxies.views(),
    connected: () => proxies.connected(),
    close() {
      listening.close();
      for (const stream of proxies.streams()) stream.end();
      return shutDown(server);
    },
  };
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, DRAIN);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}
