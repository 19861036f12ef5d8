import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What the specs beside it share: the command line as a process, and a control plane that answers as a spec says. */
const MAIN = fileURLToPath(new URL('../../cmd/ctl/main.ts', import.meta.url));
/** The built one starts faster: where MERIDIAN_BUILT says that dist/ is up to date (`npm test`). */
const BUILT = fileURLToPath(new URL('../../dist/cmd/ctl/main.js', import.meta.url));
export const PROGRAM = process.env.MERIDIAN_BUILT === 'true' ? [BUILT] : [MAIN];

export interface CtlResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface CtlSurroundings {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** This process' variables without those of Meridian; nobody's contexts. */
export function surroundings(env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('MERIDIAN_'));
  return { ...Object.fromEntries(outside), MERIDIAN_CONFIG: '/nowhere/config', ...env };
}

/** Runs `meridianctl` with these arguments to its end. */
export async function meridianctl(args: readonly string[], { input = '', env = {} }: CtlSurroundings = {}): Promise<CtlResult> {
  const child = spawn(process.execPath, [...PROGRAM, ...args], { env: surroundings(env) });
  child.stdin.on('error', () => {}); // it may have ended without reading
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return { code, out, err };
}

export interface CtlRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly authorization?: string;
  readonly body: string;
}

export interface CannedAnswer {
  readonly status?: number;
  /** Sent as JSON; a string as it is. */
  readonly body?: unknown;
}

export interface Stub {
  readonly url: string;
  readonly asked: readonly CtlRequest[];
}

/** A server on a free port of loopback, until the test ends; with TLS when it has a key. */
export async function startStub(t: TestContext, answer: (asked: CtlRequest) => CannedAnswer, tls?: ServerOptions): Promise<Stub> {
  const asked: CtlRequest[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void readAsked(request).then((one) => {
      asked.push(one);
      const { status = 200, body = {} } = answer(one);
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, asked };
}

async function readAsked(request: IncomingMessage): Promise<CtlRequest> {
  const { method = '', url: path = '', headers } = request;
  const { authorization } = headers;
  return {
    method,
    path,
    contentType: headers['content-type'],
    ...(authorization === undefined ? {} : { authorization }),
    body: await text(request),
  };
}

/** A request in one line: `GET /zones/east`. */
export function lines(stub: Stub): string[] {
  return stub.asked.map(({ method, path }) => `${method} ${path}`);
}
