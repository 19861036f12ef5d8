import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as TlsConnectionOptions, type PeerCertificate } from 'node:tls';
import { connect, type ConnectionOptions, type NatsConnection, type NodeConnectionOptions, wsconnect } from '@nats-io/transport-node';
import WebSocket from 'ws';
import type { NatsAddress } from './address.js';
import { authenticatorFor } from './credentials.js';
import { probe } from './probe.js';

/** A connection, and how to drop it at once whatever state it is in. */
export interface Dialled {
  readonly connection: NatsConnection;
  terminate(): void;
}

const DIAL_TIMEOUT = 5_000;
/** A connection that answers no ping for three times this is dropped. */
const PING_INTERVAL = 5_000;

/**
 * Connects once, or throws why not. `client` is the name shown at the server. The library's own reconnecting is off: it can stop for good, and says
 * no reasons. (It keeps one transport for the whole process: all connections must be of one kind.)
 */
export async function dial(address: NatsAddress, credsFile: string | undefined, client: string): Promise<Dialled> {
  const authenticator = authenticatorFor(address, credsFile);
  const options: ConnectionOptions = {
    servers: address.url,
    name: client,
    reconnect: false,
    noEcho: true,
    timeout: DIAL_TIMEOUT,
    pingInterval: PING_INTERVAL,
    ...(authenticator ? { authenticator } : {}),
  };
  if (address.protocol === 'ws' || address.protocol === 'wss') return dialWebSocket(address, options);
  await probe(address, DIAL_TIMEOUT);
  const connection = await connect(address.protocol === 'tls' ? { ...options, tls: tlsFor(address) } : options);
  return { connection, terminate: () => void connection.close() };
}

type Tls = NonNullable<NodeConnectionOptions['tls']>;

/** `{}` asks for TLS with the usual checks. Where the host is an address the library would check the certificate against `localhost`. */
function tlsFor({ host }: NatsAddress): Tls {
  const own: Tls & Pick<TlsConnectionOptions, 'checkServerIdentity'> = {
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate),
  };
  return isIP(host) === 0 ? {} : own;
}

/** Node 20 has no WebSocket of its own; without one the library waits for ever. */
async function dialWebSocket({ url, protocol }: NatsAddress, options: ConnectionOptions): Promise<Dialled> {
  let socket: WebSocket | undefined;
  let reason: Error | undefined;
  const wsFactory = () => {
    socket = new WebSocket(url, { handshakeTimeout: DIAL_TIMEOUT, perMessageDeflate: false });
    // The library forgets the reason, and takes its listener away at the end: an error without any would end the process.
    socket.on('error', (error) => {
      reason = error;
    });
    return Promise.resolve({ socket: socket as never, encrypted: protocol === 'wss' });
  };
  const drop = (): void => socket?.terminate();
  try {
    const connection = await wsconnect({ ...options, wsFactory });
    const terminate = (): void => {
      drop();
      void connection.close();
    };
    return { connection, terminate };
  } catch (thrown) {
    drop();
    throw reason ?? thrown;
  }
}
