import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { asMeridianError, MeridianError } from '../errors.ts';
import type { Metrics } from './metrics.ts';

/** Whether this process does its work, for whoever starts and stops it. */
export interface ReadyState {
  readonly ready: boolean;
  /** Why it is not. */
  readonly reasons: readonly string[];
  /** What an operator should know although it works. */
  readonly warnings: readonly string[];
}

export interface DiagnosticsOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly ready: () => ReadyState;
  readonly metrics: Metrics;
  /** What kept the event loop longest. */
  readonly turns: () => readonly object[];
  /**
   * That a request is for us, and of no other web site's page (src/api/auth/same-site.ts, as for the API). Throws
   * `forbidden`.
   */
  readonly requireOwnSite: (request: IncomingMessage) => void;
}

/**
 * Serves `/healthy` (200 while the process works), `/ready` (200 or 503, a `Readiness`), `/metrics` (Prometheus) and
 * `/turns` (what kept the event loop longest) until `close`; other web sites' pages get 403. `port` is the one it
 * listens on. Throws `unavailable` when the address can't be had.
 */
export async function startDiagnostics(options: DiagnosticsOptions): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: 10_000 }, answer(options));
  const port = await listen(server, options);
  return { port, close: () => close(server) };
}

function answer({ ready, metrics, turns, requireOwnSite }: DiagnosticsOptions): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(() => requireOwnSite(request));
    if (refusal) return send(response, 403, { error: refusal.message, hint: refusal.hint });
    const path = request.url?.split('?')[0];
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, 405, { error: 'only GET' });
    if (path === '/healthy') return send(response, 200, { healthy: true });
    if (path === '/ready') return sendReadiness(response, readinessOf(ready));
    if (path === '/metrics') return void sendMetrics(response, metrics);
    if (path === '/turns') return send(response, 200, { turns: turns() });
    send(response, 404, { error: 'there are /healthy, /ready, /metrics and /turns' });
  };
}

function refusalOf(check: () => void): MeridianError | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return asMeridianError(thrown);
  }
}

function sendReadiness(response: ServerResponse, readiness: ReadyState): void {
  send(response, readiness.ready ? 200 : 503, readiness);
}

/** What can't be told is not ready: whoever asks must not end the process by that. */
function readinessOf(ready: DiagnosticsOptions['ready']): ReadyState {
  try {
    return ready();
  } catch (thrown) {
    return { ready: false, reasons: [`it can't be told: ${asMeridianError(thrown).message}`], warnings: [] };
  }
}

async function sendMetrics(response: ServerResponse, metrics: Metrics): Promise<void> {
  try {
    const text = await metrics.metrics();
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
  } catch (thrown) {
    send(response, 500, { error: asMeridianError(thrown).message });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(`${JSON.stringify(body)}\n`);
}

function listen(server: Server, { address, port }: DiagnosticsOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error): void => {
      const details = { cause, hint: 'Choose another MERIDIAN_DIAGNOSTICS_PORT or MERIDIAN_API_ADDRESS.' };
      reject(new MeridianError('unavailable', `diagnostics can't listen on ${address}, port ${port}: ${cause.message}`, details));
    };
    server.once('error', refuse);
    server.listen({ host: address, port }, () => {
      server.off('error', refuse);
      const bound = server.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
