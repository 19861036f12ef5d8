import { constants } from 'node:crypto';
import { createServer as createPlainServer, isIP, type Server as NetServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { asMeridianError, MeridianError } from '../../errors.ts';
import type { Report } from '../../report.ts';
import { exposedKey, isSameCa, isSameContent, readTls, type TlsContent, type XdsTls } from './tls-files.ts';

export interface ListenOptions {
  /** An IP address. */
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
  readonly tls: XdsTls | undefined;
  readonly report: Report;
  /** A connection that may speak. Over TLS, with `clientCa`, its certificate is verified. */
  readonly onConnection: (socket: Socket) => void;
}

export interface GrpcListener {
  readonly port: number;
  /** Takes no more connections; those that are open go on. */
  close(): void;
}

/** How often the files are looked at. */
const LOOK = 1_000;
const HANDSHAKE = 10_000;
/** Strangers can make failures as fast as they like: of one kind, one a second is told. */
const QUIET = 1_000;

/**
 * Listens for proxies. TLS files that are replaced count from the next look on; what can't be used is told, and the old
 * ones stay. When the CA of the proxies is another, all connections end: each comes back and is verified again.
 * Throws `invalid` (the files) and `unavailable` (the port can't be had).
 */
export async function listen(options: ListenOptions): Promise<GrpcListener> {
  const { tls, onConnection } = options;
  if (!tls) return opened(createPlainServer({ noDelay: true }, onConnection), options);
  const first = readTls(tls);
  const open = new Set<Socket>();
  const server = createTlsServer({ ...contextOf(first), ...serverOptions(first) });
  admitVerified(server, first.clientCa !== undefined, open, options);
  tellExposed(tls, options);
  const listening = await opened(server, options);
  const looking = setInterval(watcher(server, tls, first, open, options), LOOK).unref();
  return {
    ...listening,
    close() {
      clearInterval(looking);
      listening.close();
    },
  };
}

/** Sessions are not resumed: a proxy proves who it is on each connection. */
function contextOf({ cert, key, clientCa }: TlsContent) {
  return { cert, key, ca: clientCa, secureOptions: constants.SSL_OP_NO_TICKET };
}

/** Who is not verified is turned away below, with the reason in the log. */
function serverOptions({ clientCa }: TlsContent) {
  return {
    requestCert: clientCa !== undefined,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE,
    noDelay: true,
  };
}

function admitVerified(server: TlsServer, needed: boolean, open: Set<Socket>, { report, onConnection }: ListenOptions): void {
  const refused = hushed((reason, peer) => report('warn', 'a connection was refused', { peer, reason }));
  server.on('tlsClientError', (error, socket) => refused(reasonOf(error), peerOf(socket)));
  server.on('secureConnection', (socket) => {
    if (needed && !socket.authorized) {
      refused(`its certificate is not accepted: ${String(socket.authorizationError)}`, peerOf(socket));
      socket.destroy();
      return;
    }
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // What broke off is over; 'close' follows.
    socket.on('error', () => socket.destroy());
    onConnection(socket);
  });
}

function watcher(server: TlsServer, files: XdsTls, first: TlsContent, open: Set<Socket>, options: ListenOptions): () => void {
  let now = first;
  let told: string | undefined;
  return () => {
    try {
      const next = readTls(files);
      told = undefined;
      if (isSameContent(now, next)) return;
      server.setSecureContext(contextOf(next));
      const isOtherCa = !isSameCa(now, next);
      now = next;
      options.report('info', 'the certificates of the xDS server were read again', { otherCa: isOtherCa });
      tellExposed(files, options);
      if (isOtherCa) for (const socket of open) socket.destroy();
    } catch (thrown) {
      const { problems, message } = asMeridianError(thrown);
      const reason = problems.map((problem) => problem.reason).join('; ') || message;
      if (reason !== told) options.report('warn', 'the certificates of the xDS server can not be used: the old ones stay', { reason });
      told = reason;
    }
  };
}

function tellExposed(tls: XdsTls, { report }: ListenOptions): void {
  const exposed = exposedKey(tls);
  if (exposed !== undefined) report('warn', exposed, { hint: `chmod 600 ${tls.key}` });
}

function opened(server: NetServer, { address, port }: ListenOptions): Promise<GrpcListener> {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error): void =>
      reject(new MeridianError('unavailable', `xDS can't listen on ${host}:${port}: ${cause.message}`, { cause }));
    server.once('error', refuse);
    server.listen({ host: address, port }, () => {
      server.off('error', refuse);
      const bound = server.address();
      resolve({ port: typeof bound === 'object' && bound !== null ? bound.port : port, close: () => void server.close() });
    });
  });
}

function hushed(tell: (reason: string, peer: string) => void): (reason: string, peer: string) => void {
  const last = new Map<string, number>();
  return (reason, peer) => {
    const now = performance.now();
    if (now - (last.get(reason) ?? Number.NEGATIVE_INFINITY) < QUIET) return;
    last.set(reason, now);
    tell(reason, peer);
  };
}

/** The code where there is one: a message may quote what a stranger sent, and there are few codes. */
function reasonOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}

function peerOf({ remoteAddress, remotePort }: TLSSocket): string {
  return `${remoteAddress ?? 'gone'}:${remotePort ?? ''}`;
}
