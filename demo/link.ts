import { connect, createServer, type Socket } from 'node:net';
import type { Scope } from '../test/harness/scope.ts';

/** A network link that can be cut: what goes to `port` goes on to the server behind it. */
export interface CutLink {
  readonly port: number;
  cut(): void;
  join(): void;
}

/** In: where the link leads to, a port of an address of the loopback. */
export function startLink(scope: Scope, target: number, machine = '127.0.0.1'): Promise<CutLink> {
  const open = new Set<Socket>();
  let joined = true;
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => open.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    if (!joined) near.destroy();
    else {
      const far = keep(connect(target, machine));
      keep(near).pipe(far).pipe(near);
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    }
  });
  const cut = (): void => {
    joined = false;
    for (const socket of open) socket.destroy();
  };
  scope.add(() => {
    cut();
    server.close();
  });
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no address'));
      else resolve({ port: address.port, cut, join: () => void (joined = true) });
    });
  });
}
