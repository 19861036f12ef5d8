import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The sockets of one attempt to connect. */
class Sockets {
  private readonly all: Socket[] = [];
  private closed = false;

  add(socket: Socket): void {
    if (this.closed) socket.destroy();
    else this.all.push(socket);
  }

  close(): void {
    this.closed = true;
    for (const socket of this.all) socket.destroy();
  }
}

const attempts = new AsyncLocalStorage<Sockets>();

/** Node tells of each socket in the context in which it is made. */
subscribe('net.client.socket', (message) => attempts.getStore()?.add((message as { socket: Socket }).socket));

/**
 * Runs an attempt of the client library to connect. When it fails, every socket that it opened is closed: the library
 * leaves that of an attempt open which a mute server never answers, and trying for ever must cost nothing. (To try the
 * server first with a socket of our own would do too, but NATS logs each one that ends before its TLS as an error.)
 */
export async function attempt<T>(connect: () => Promise<T>): Promise<T> {
  const sockets = new Sockets();
  try {
    return await attempts.run(sockets, connect);
  } catch (thrown) {
    sockets.close();
    throw thrown;
  }
}
