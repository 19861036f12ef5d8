import { setTimeout as wait } from 'node:timers/promises';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { WebSocket } from 'ws';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { refusalOf } from '../api/api-client.ts';
import type { Server } from '../api/server-address.ts';

/** What is told of a watch. */
export interface WatchHandlers {
  /** Each message, as it came. */
  message(text: string): void;
  /** The connection is lost, and made again. */
  away(reason: string): void;
}

/**
 * How long until the next try, ms: twice as long each time, some of it by chance, so that many clients don't come at
 * once.
 */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** A control plane shows itself at least so often, ms: it pings every 30 s. */
const SILENCE = 75_000;

/**
 * Follows the watch of a control plane until `stop`, from `since` on (undefined: from everything). A connection that is
 * lost is made again from the last position. Throws what the control plane refuses with, and `unavailable` if it never
 * answered.
 */
export async function follow(
  server: Server,
  query: Readonly<Record<string, string | undefined>>,
  since: string | undefined,
  stop: AbortSignal,
  told: WatchHandlers,
): Promise<void> {
  let [position, reached, pause] = [since, false, FIRST_PAUSE];
  while (!stop.aborted) {
    try {
      const reason = await connect(server, { ...query, since: position }, stop, (message) => {
        [reached, pause] = [true, FIRST_PAUSE];
        position = positionOf(message) ?? position;
        told.message(message);
      });
      if (!stop.aborted) told.away(reason);
    } catch (thrown) {
      if (!reached || !isPassing(thrown)) throw thrown;
    }
    await wait(pause * (0.5 + Math.random() / 2), undefined, { signal: stop }).catch(() => {}); // stopped while it waits
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** What another try may not meet. */
function isPassing(thrown: unknown): boolean {
  return thrown instanceof MeridianError && ['unavailable', 'rate_limited', 'internal'].includes(thrown.code);
}

function positionOf(message: string): string | undefined {
  const value: unknown = JSON.parse(message);
  return isObject(value) && typeof value.position === 'string' ? value.position : undefined;
}

/** One connection, to its end: resolves with why it ended. Throws when there was none. */
async function connect(
  server: Server,
  query: Readonly<Record<string, string | undefined>>,
  stop: AbortSignal,
  onMessage: (message: string) => void,
): Promise<string> {
  const { WebSocket: Socket } = await import('ws');
  const { url, token, ca, verify } = server;
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const address = `${url.replace(/^http/, 'ws')}/_watch?${new URLSearchParams(given).toString()}`;
  const options = { headers, rejectUnauthorized: verify, handshakeTimeout: 30_000, ...(ca === undefined ? {} : { ca }) };
  const socket = new Socket(address, options);
  const leave = (): void => socket.close(1000);
  stop.addEventListener('abort', leave);
  try {
    return await listen(socket, server, stop, onMessage);
  } finally {
    stop.removeEventListener('abort', leave);
  }
}

function listen(socket: WebSocket, server: Server, stop: AbortSignal, onMessage: (message: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let opened = false;
    let silence: NodeJS.Timeout | undefined;
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => socket.terminate(), SILENCE);
    };
    socket.on('open', () => {
      opened = true;
      alive();
    });
    socket.on('ping', alive);
    socket.on('message', (data: Buffer) => {
      alive();
      onMessage(data.toString());
    });
    socket.on('unexpected-response', (_, response: IncomingMessage) => {
      text(response).then((body) => reject(refusalOf(server, response.statusCode ?? 0, body)), reject);
    });
    socket.on('error', (cause) => {
      if (!opened && !stop.aborted) reject(notReached(server, cause));
    });
    socket.on('close', (_, reason) => {
      clearTimeout(silence);
      resolve(reason.toString() || 'the connection is lost');
    });
  });
}

function notReached({ url }: Server, cause: Error): MeridianError {
  return new MeridianError('unavailable', `no control plane answers at ${url}: ${cause.message || cause.name}`, {
    hint: 'check that it is running, and that --url, MERIDIAN_URL or the context is the address of its API',
    cause,
  });
}
