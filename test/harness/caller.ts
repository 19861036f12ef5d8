import { readFileSync } from 'node:fs';
import { Agent as PlainAgent, type RequestOptions, request as plainRequest } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { IssuedCertificate } from './certificates.ts';
import type { Scope } from './scope.ts';

/** What a caller got to know: a status and a body, or how the connection failed. */
interface CallerAnswer {
  /** 0: no answer. */
  readonly status: number;
  readonly body: string;
}

export interface CallerRequest {
  readonly method?: string;
  /** Sent as it is. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** An HTTP client on loopback, with one certificate, another's, or none, that keeps its one connection open. */
export interface HttpCaller {
  ask(asking?: CallerRequest): Promise<CallerAnswer>;
  /** How many connections it has made. */
  connections(): number;
}

/** Mutual TLS with a certificate, TLS without one (only `ca`), or plain text (`undefined`). */
export function httpCaller(scope: Scope, port: number, files: Partial<IssuedCertificate> | undefined, host = '127.0.0.1'): HttpCaller {
  // The agent's, not each request's: a connection that one request's checkServerIdentity looked at serves no other.
  const kept = { keepAlive: true, maxSockets: 1, ...credentials(files) };
  const agent = files ? new Agent(kept) : new PlainAgent(kept);
  scope.add(() => agent.destroy());
  const options: RequestOptions = { host, port, agent };
  const made = new Set<unknown>();
  const ask = ({ method = 'GET', path = '/', headers = {} }: CallerRequest = {}): Promise<CallerAnswer> =>
    new Promise((resolve) => {
      const sent = (files ? request : plainRequest)({ ...options, method, path, headers: { ...headers } }, (response) => {
        let body = '';
        response.on('data', (chunk) => (body += String(chunk)));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.on('socket', (socket) => made.add(socket));
      sent.on('error', (error) => resolve({ status: 0, body: error.message }));
      sent.end();
    });
  return { ask, connections: () => made.size };
}

/** The same over HTTP/2. A connection that was closed is made again. */
export function http2Caller(scope: Scope, port: number, files: IssuedCertificate): HttpCaller {
  let [session, made]: [ClientHttp2Session | undefined, number] = [undefined, 0];
  scope.add(() => session?.destroy());
  const open = (): ClientHttp2Session => {
    made++;
    session = connectHttp2(`https://127.0.0.1:${port}`, { ...credentials(files), ALPNProtocols: ['h2'] });
    // Each request gets the error too.
    session.on('error', () => {});
    return session;
  };
  const ask = ({ method = 'GET', path = '/', headers = {} }: CallerRequest = {}): Promise<CallerAnswer> =>
    new Promise((resolve) => {
      const sent = (!session || session.closed || session.destroyed ? open() : session).request({
        ':method': method,
        ':path': path,
        ...headers,
      });
      let [status, body] = [0, ''];
      sent.on('response', (received) => (status = Number(received[':status'])));
      sent.on('data', (chunk) => (body += String(chunk)));
      sent.on('error', ({ message }: Error) => (body = message));
      sent.on('close', () => resolve({ status, body }));
      sent.end();
    });
  return { ask, connections: () => made };
}

/**
 * Writes bytes as they are over mutual TLS. Out: what came back until the server closed, which the text has to make it
 * do.
 */
export function rawAsk(scope: Scope, port: number, files: IssuedCertificate, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ...credentials(files) }, () => socket.write(text));
  scope.add(() => void socket.destroy());
  let got = '';
  socket.on('data', (data) => (got += String(data)));
  socket.on('error', () => socket.destroy());
  return new Promise((resolve) => socket.once('close', () => resolve(got)));
}

/** A TCP client over mutual TLS. */
export interface TcpCaller {
  /** What came back for this text; undefined: the connection is closed. */
  say(text: string): Promise<string | undefined>;
  closed(): boolean;
}

export function tcpCaller(scope: Scope, port: number, files: Partial<IssuedCertificate>, host = '127.0.0.1', servername = ''): TcpCaller {
  const socket: TLSSocket = connect({ host, port, servername, ...credentials(files) });
  scope.add(() => void socket.destroy());
  const ended = new Promise<undefined>((resolve) => socket.once('close', () => resolve(undefined)));
  // 'close' follows, and says all that matters here.
  socket.on('error', () => socket.destroy());
  const say = (text: string): Promise<string | undefined> => {
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    if (!socket.destroyed) socket.write(text);
    return Promise.race([answer, ended]);
  };
  return { say, closed: () => socket.destroyed };
}

/** The name of the server is not checked: that is not what is tested, and a SPIFFE certificate has none. */
function credentials(files: Partial<IssuedCertificate> = {}) {
  const { ca, cert, key } = files;
  return {
    rejectUnauthorized: ca !== undefined,
    checkServerIdentity: () => undefined,
    ...(ca ? { ca: readFileSync(ca) } : {}),
    ...(cert ? { cert: readFileSync(cert) } : {}),
    ...(key ? { key: readFileSync(key) } : {}),
  };
}
