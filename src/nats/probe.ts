import { createConnection } from 'node:net';
import { MeridianError } from '../errors.ts';
import type { NatsAddress } from './address.ts';

/**
 * Whether a NATS server answers over TCP: it speaks first, with `INFO`. Throws `unavailable` with the reason. The client library leaves the
 * socket of an attempt open that a mute server never answers; here every one is closed, so that trying for ever costs nothing.
 */
export function probe({ host, port }: NatsAddress, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port });
    const end = (reason?: string): void => {
      socket.destroy();
      if (reason === undefined) resolve();
      else reject(new MeridianError('unavailable', reason));
    };
    socket.setTimeout(timeoutMs, () => end(`${host}:${port} does not answer`));
    socket.once('data', (data) =>
      end(data.subarray(0, 5).toString('latin1') === 'INFO ' ? undefined : `${host}:${port} is no NATS server`),
    );
    socket.once('close', () => end(`${host}:${port} closed the connection`));
    socket.on('error', (error) => end(error.message || `${host}:${port} can not be reached`));
  });
}
