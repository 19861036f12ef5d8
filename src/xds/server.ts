import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import { MeridianError } from '../errors.js';
import type { Authenticate } from './caller.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { Proxies, type ProxyView } from './proxies.js';
import type { ProxyId } from './proxy-id.js';
import { type Call, type Report, serve, type Shared } from './stream.js';
import type { Snapshot } from './types.js';
import { DELTA_PATH, readRequest, writeResponse } from './wire.js';

export interface XdsOptions {
  /** An IP address. One that is not loopback needs `tls`: tokens are sent over it. */
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  readonly tls?: XdsTls | undefined;
  readonly authenticate: Authenticate;
  readonly snapshotOf: (proxy: ProxyId) => Snapshot | undefined;
  readonly report: Report;
  readonly clock?: Clock;
}

/** Paths of PEM files. With `clientCa`, every proxy needs a certificate of that CA. */
export interface XdsTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string | undefined;
}

/** A running server. */
export interface Xds {
  readonly port: number;
  /** Asks again what a proxy is to have, or each of those that are connected, and sends what differs. */
  changed(proxy?: ProxyId): void;
  /** undefined: no proxy of that name has proven itself lately. */
  view(proxy: ProxyId): ProxyView | undefined;
  views(): ProxyView[];
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

/**
 * Serves delta xDS to Envoys: the aggregated discovery service over gRPC.
 * Throws `invalid` (an address that is not loopback, without TLS) and `unavailable` (the port can't be had).
 */
export async function startXds(options: XdsOptions): Promise<Xds> {
  const { address, port, tls, authenticate, snapshotOf, report, clock = SYSTEM_CLOCK } = options;
  if (!tls && !isLoopback(address)) throw new MeridianError('invalid', `xDS on ${address} needs TLS: tokens would be sent in plain text`);
  const proxies = new Proxies(clock);
  const shared: Shared = { authenticate, snapshotOf, proxies, clock, report };
  const server = new Server(KEEPALIVE);
  server.addService(SERVICE, { deltaAggregatedResources: (call: Call) => serve(call, shared) });
  return {
    port: await listen(server, address, port, tls),
    changed: (proxy) => {
      for (const stream of proxies.streams(proxy)) stream.changed();
    },
    view: (proxy) => proxies.view(proxy),
    views: () => proxies.views(),
    close() {
      for (const stream of proxies.streams()) stream.end();
      return shutDown(server);
    },
  };
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}

function listen(server: Server, address: string, port: number, tls: XdsTls | undefined): Promise<number> {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return new Promise((resolve, reject) => {
    server.bindAsync(`${host}:${port}`, credentials(tls), (cause, bound) => {
      if (!cause) return resolve(bound);
      reject(new MeridianError('unavailable', `xDS can't listen on ${host}:${port}: ${cause.message}`, { cause }));
    });
  });
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

function credentials(tls: XdsTls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const pair = { cert_chain: readFileSync(tls.cert), private_key: readFileSync(tls.key) };
  const clientCa = tls.clientCa === undefined ? null : readFileSync(tls.clientCa);
  return ServerCredentials.createSsl(clientCa, [pair], clientCa !== null);
}
