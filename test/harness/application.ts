import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import type { Scope } from './scope.ts';

/** Starts an HTTP application; it answers `METHOD PATH`, as the request came to it. Out: its port, on loopback. */
export function startHttpApplication(scope: Scope): Promise<number> {
  return listen(
    scope,
    createHttpServer((request, response) => response.end(`${request.method} ${request.url}`)),
  );
}

/**
 * Starts an HTTP application; it answers with the request as it came to it, as JSON of `ReceivedRequest`. Out: its
 * port, on loopback.
 */
export function startMirror(scope: Scope): Promise<number> {
  return listen(
    scope,
    createHttpServer(({ method, url, headers }, response) => response.end(JSON.stringify({ method, url, headers }))),
  );
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Starts a TCP application that sends back what it gets. Out: its port, on loopback. */
export function startTcpApplication(scope: Scope): Promise<number> {
  return listen(
    scope,
    createServer((socket) => {
      socket.on('error', () => socket.destroy());
      socket.pipe(socket);
    }),
  );
}

function listen(scope: Scope, server: Server): Promise<number> {
  const open = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  scope.add(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}
