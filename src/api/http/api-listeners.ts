import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Report } from '../../report.ts';
import { readPair, type CertificateFiles, watchPair } from './watch-certificate.ts';

/** Whoever sends slowly is cut off: headers within 10 s, a whole request within 30 s, silence between requests 65 s. */
const PATIENCE = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, connectionsCheckingInterval: 2_000 };
const HANDSHAKE = 10_000;
/** Each may hold a request, and a watch holds one for long. */
const MOST_CONNECTIONS = 2_048;

/** Makes the servers that the API listens with, and keeps their certificate fresh until `close`. */
export interface Listeners {
  create(handler: RequestListener): Server;
  close(): void;
}

/**
 * HTTPS alone where there are files for it (TLS 1.2 at least), else HTTP. Throws `invalid` for files that can't be
 * used.
 */
export function createListeners(tls: CertificateFiles | undefined, report: Report): Listeners {
  if (!tls) return { create: (handler) => limited(createServer(PATIENCE, handler)), close: () => {} };
  const pair = readPair(tls);
  const servers: TlsServer[] = [];
  const close = watchPair(tls, pair, () => servers, report);
  return {
    close,
    create(handler) {
      const server = createTlsServer({ ...PATIENCE, ...pair, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE }, handler);
      servers.push(server);
      // It has all that Fastify uses of an HTTP server.
      return limited(server as unknown as Server);
    },
  };
}

function limited(server: Server): Server {
  server.maxConnections = MOST_CONNECTIONS;
  return server;
}
