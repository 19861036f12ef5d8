import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { presentEpoch, recordEpoch } from '../../kds/cursor.ts';
import { MeridianError } from '../../errors.ts';
import type { Principal } from '../auth/principal.ts';
import type { ApiOptions } from '../api-options.ts';
import { WatchClient } from './watch-client.ts';
import { Pages } from './watch-pages.ts';
import { type WatchQuestion, readQuestion } from './watch-question.ts';
import { refuse } from './refuse-watch.ts';

/** How many may watch at once: each holds a connection. */
const MOST = 1_000;
/** Of one token: no reader may take them all. */
const MOST_EACH = 200;
/** Clients have nothing to say. */
const MOST_PAYLOAD = 1024;

/** Close codes of RFC 6455. */
const GOING_AWAY = 1001;
const POLICY = 1008;

/**
 * `GET /_watch`, upgraded to a WebSocket: what changes, to whom `since` which position
 * (docs/design/interfaces.md#rest). Who may is judged by the same gate as any request. Gives what tells all clients
 * that there may be something new.
 */
export function addWatch(app: FastifyInstance, { plane, report }: ApiOptions): () => void {
  const { store } = plane;
  if (presentEpoch(store) === undefined) recordEpoch(store, randomBytes(8).toString('hex'));
  const epoch = presentEpoch(store) ?? '';
  const server = new WebSocketServer({ noServer: true, maxPayload: MOST_PAYLOAD, perMessageDeflate: false, clientTracking: false });
  /** With the id of the token that each came with. */
  const clients = new Map<WatchClient, string | undefined>();
  const failed = (thrown: unknown): void =>
    report('error', 'a watch failed', { error: thrown instanceof Error ? thrown.stack : String(thrown) });
  const reaches = (revision: number): boolean => store.history.reaches(revision);
  const watching = { pages: new Pages(plane, epoch), epoch, head: () => store.head().revision, reaches, failed };

  function serve(socket: WebSocket, { filter, start }: WatchQuestion, principal: Principal | undefined): void {
    const client = new WatchClient(socket, watching, filter, start);
    clients.set(client, principal?.tokenId);
    const forget = principal ? app.gate.onEnd(principal, (why) => client.close(POLICY, `the token is ${why}`)) : () => {};
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      clients.delete(client);
      client.ended();
      forget();
    });
  }

  function requireFew(token: string | undefined): void {
    if (token === undefined || [...clients.values()].filter((id) => id === token).length < MOST_EACH) return;
    throw new MeridianError('rate_limited', `this token has ${MOST_EACH} watches already`, { retryAfter: 60 });
  }

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Until it is a WebSocket, whoever goes away is nobody's error.
    socket.on('error', () => socket.destroy());
    try {
      const principal = await app.gate.admit(request, 'read');
      const question = readQuestion(request, store);
      if (clients.size >= MOST) throw new MeridianError('unavailable', `there are ${MOST} watches already`);
      requireFew(principal?.tokenId);
      server.handleUpgrade(request, socket, head, (ws) => serve(ws, question, principal));
    } catch (thrown) {
      refuse(socket, thrown, report);
    }
  }

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => void upgrade(request, socket, head));
  app.addHook('preClose', (done) => {
    for (const client of clients.keys()) client.close(GOING_AWAY, 'the control plane stops');
    done();
  });
  return () => {
    for (const client of clients.keys()) client.wake();
  };
}
