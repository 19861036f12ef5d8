import { connect, type ConnectionOptions, type NatsConnection, TimeoutError, wsconnect } from '@nats-io/transport-node';
import WebSocket from 'ws';
import { MeridianError } from '../errors.ts';
import type { NatsAddress } from './nats-address.ts';
import { attempt } from './connect-attempt.ts';
import { authenticatorFor, type Credentials } from './nats-credentials.ts';
import { type TlsFiles, type TlsOptions, tlsOptions } from './nats-tls.ts';

/** A connection, and how to drop it at once whatever state it is in. */
export interface DialledConnection {
  readonly connection: NatsConnection;
  terminate(): void;
}

const DIAL_TIMEOUT = 5_000;
/** A connection that answers no ping for three times this is dropped. */
const PING_INTERVAL = 5_000;

/** Who connects, and how. */
export interface DialOptions {
  readonly credentials: Credentials | undefined;
  readonly tls: TlsFiles;
  /** Shown at the server. */
  readonly name: string;
  /** Where answers to requests come; control planes make none. */
  readonly inbox?: string | undefined;
}

/**
 * Connects once, or throws why not. The library's own reconnecting is off: it can stop for good, and says
 * no reasons. (It keeps one transport for the whole process: all connections must be of one kind.)
 */
export async function dial(address: NatsAddress, { credentials, tls, name, inbox }: DialOptions): Promise<DialledConnection> {
  const authenticator = authenticatorFor(address, credentials);
  const options: ConnectionOptions = {
    servers: address.url,
    name,
    reconnect: false,
    noEcho: true,
    timeout: DIAL_TIMEOUT,
    pingInterval: PING_INTERVAL,
    ...(authenticator ? { authenticator } : {}),
    ...(inbox === undefined ? {} : { inboxPrefix: inbox }),
  };
  const isTls = address.protocol === 'tls' || address.protocol === 'wss';
  const secure = isTls ? tlsOptions(address, tls) : {};
  if (address.protocol === 'ws' || address.protocol === 'wss') return dialWebSocket(address, options, secure);
  try {
    const connection = await attempt(() => connect(isTls ? { ...options, tls: secure } : options));
    return { connection, terminate: () => void connection.close() };
  } catch (thrown) {
    throw plainly(thrown, address);
  }
}

/** What the library says without words that help. */
function plainly(thrown: unknown, { host, port }: NatsAddress): unknown {
  if (!(thrown instanceof Error)) return thrown;
  if (thrown.message === 'connection refused') return thrown.cause;
  const reason = thrown instanceof TimeoutError ? 'does not answer' : /undefined error/.test(thrown.message) ? 'closed the connection' : '';
  return reason === '' ? thrown : new MeridianError('unavailable', `${host}:${port} ${reason}`, { cause: thrown });
}

/** Node 20 has no WebSocket of its own; without one the library waits for ever. */
async function dialWebSocket({ url, protocol }: NatsAddress, options: ConnectionOptions, tls: TlsOptions): Promise<DialledConnection> {
  // The types of `ws` have another idea of checkServerIdentity than Node's TLS, which is what is called.
  const secure = tls as Omit<TlsOptions, 'checkServerIdentity'>;
  let socket: WebSocket | undefined;
  let reason: Error | undefined;
  const wsFactory = () => {
    socket = new WebSocket(url, { ...secure, handshakeTimeout: DIAL_TIMEOUT, perMessageDeflate: false });
    // The library forgets the reason, and takes its listener away at the end: an error without any would end the
    // process.
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
