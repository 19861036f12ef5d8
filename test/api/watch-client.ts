import { WebSocket } from 'ws';
import type { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import type { TestedApi, AnyJson } from './harness.ts';

/** A client of the watch, and what it was sent. */
export interface Watcher {
  readonly messages: readonly AnyJson[];
  /** The position of the last message that had one. */
  position(): string;
  /** Waits until a bookmark is the last message, at this revision or later. */
  caughtUp(revision?: number): Promise<void>;
  /** What the messages come to: the resources by KRI. Throws at a repeated (revision, KRI), or one that goes back. */
  state(): ReadonlyMap<string, AnyJson>;
  readonly socket: WebSocket;
  /** Once it is closed: code and reason. */
  closed(): { readonly code: number; readonly reason: string } | undefined;
}

/** Lets an API listen on a free port of loopback; gives the address for `watch`. */
export async function listen({ app }: TestedApi): Promise<string> {
  return (await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws');
}

export function watch(scope: Scope, url: string, query: Record<string, string> = {}, headers: Record<string, string> = {}): Watcher {
  const messages: AnyJson[] = [];
  let closed: ReturnType<Watcher['closed']>;
  const socket = new WebSocket(`${url}/_watch?${new URLSearchParams(query).toString()}`, { headers });
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())));
  socket.on('error', () => {}); // what refuses it is asked for by `refusal`
  socket.on('close', (code, reason) => (closed = { code, reason: reason.toString() }));
  scope.add(() => socket.terminate());
  return {
    messages,
    socket,
    closed: () => closed,
    position: () => messages.findLast(({ position }) => position)?.position ?? '',
    caughtUp: async (revision = 0) => {
      await until('caught up', () => messages.at(-1)?.op === 'bookmark' && messages.at(-1)?.revision >= revision);
    },
    state: () => replay(messages),
  };
}

/** What messages come to, in their order. */
export function replay(messages: readonly AnyJson[], state = new Map<string, AnyJson>()): Map<string, AnyJson> {
  const seen = new Set<string>();
  let revision = 0;
  for (const message of messages) {
    if (message.op === 'reset') {
      state.clear();
      seen.clear();
      revision = 0;
    }
    if (message.op !== 'put' && message.op !== 'delete') continue;
    const id = `${message.revision} ${message.kri}`;
    if (seen.has(id) || message.revision < revision) throw new Error(`repeated, or out of order: ${id}`);
    seen.add(id);
    revision = message.revision;
    if (message.op === 'put') state.set(message.kri, message.resource);
    else state.delete(message.kri);
  }
  return state;
}

/** The HTTP answer to an upgrade that is refused. */
export function refusal(url: string, query: string, headers: Record<string, string> = {}): Promise<{ status: number; body: AnyJson }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url}${query}`, { headers });
    socket.on('open', () => reject(new Error('it was upgraded')));
    socket.on('error', () => {}); // it is told as unexpected-response too
    socket.on('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
  });
}
