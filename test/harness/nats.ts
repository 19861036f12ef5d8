import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, startChild } from './child.ts';
import type { Scope } from './scope.ts';
import { until } from './until.ts';

/** A real nats-server on free ports of the loopback. */
export interface Nats {
  /** `nats://127.0.0.1:<port>` */
  readonly url: string;
  /** `ws://127.0.0.1:<port>` */
  readonly webSocketUrl: string;
  /** What it logged since it was started. */
  lines(): readonly string[];
  /** Ends it at once (SIGKILL) and waits. */
  stop(): Promise<void>;
  /** Starts it again on the same ports. */
  start(): Promise<void>;
  /** Freezes it (SIGSTOP): connections stay open and nothing answers. `thaw` lets it go on. */
  freeze(): void;
  thaw(): void;
}

/**
 * Starts a nats-server. `more` is added to its configuration, `webSocket` to that of its WebSocket. A `port` of -1 is
 * any free one.
 */
export async function startNats(scope: Scope, more = '', webSocket = 'no_tls: true', port = -1): Promise<Nats> {
  const program = await natsServerProgram();
  const folder = scope.folder();
  let ports = { client: port, webSocket: -1 };
  let child: Child | undefined;
  const start = async (): Promise<void> => {
    const file = join(folder, 'nats.conf');
    writeFileSync(file, configuration(ports, more, webSocket));
    child = startChild(scope, program, ['-c', file], process.env);
    ports = await portsOf(child);
  };
  await start();
  return {
    url: `nats://127.0.0.1:${ports.client}`,
    webSocketUrl: `ws://127.0.0.1:${ports.webSocket}`,
    start,
    lines: () => child?.lines ?? [],
    async stop() {
      child?.signal('SIGKILL');
      await child?.exit;
    },
    freeze: () => child?.signal('SIGSTOP'),
    thaw: () => child?.signal('SIGCONT'),
  };
}

function configuration(ports: { client: number; webSocket: number }, more: string, webSocket: string): string {
  return `host: 127.0.0.1\nport: ${ports.client}\nwebsocket { host: 127.0.0.1, port: ${ports.webSocket}, ${webSocket} }\n${more}\n`;
}

/** The server says where it listens, and then that it is ready. */
async function portsOf(child: Child): Promise<{ client: number; webSocket: number }> {
  const port = (kind: RegExp): number => Number(child.lines.map((line) => kind.exec(line)?.[1]).find((found) => found !== undefined));
  await until('nats-server is ready', () => {
    if (!child.running()) throw new Error(`nats-server ended: ${child.lines.slice(-3).join(' ')}`);
    return child.lines.some((line) => line.includes('Server is ready'));
  });
  return { client: port(/client connections on .*:(\d+)$/), webSocket: port(/websocket clients on .*:(\d+)$/) };
}

/** $NATS_SERVER, the PATH's, or one that is fetched into the project's .tools/. */
export async function natsServerProgram(): Promise<string> {
  const script = new URL('../../scripts/nats-server.mjs', import.meta.url).href;
  const { natsServer: find } = (await import(script)) as { natsServer(): string };
  return find();
}
