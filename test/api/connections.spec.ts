import assert from 'node:assert/strict';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { GLOBAL } from '../../src/resource/resource.ts';
import { Scope } from '../harness/scope.ts';
import { until } from '../harness/until.ts';
import { type GuardedApi, newGuarded } from './tokens.ts';

const scope = new Scope();
after(() => scope.close());

async function listening(): Promise<GuardedApi & { port: number }> {
  const api = newGuarded(scope, GLOBAL);
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  return { ...api, port: (api.app.server.address() as AddressInfo).port };
}

/** A request whose body never comes, and what is answered to it so far. */
function begin(port: number, headers: string): { socket: Socket; answered(): string } {
  let answer = '';
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`POST /can HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 10\r\n${headers}\r\n`),
  );
  socket.on('data', (bytes) => (answer += bytes.toString()));
  socket.on('error', () => {});
  scope.add(() => void socket.destroy());
  return { socket, answered: () => answer };
}

describe('the server', () => {
  it('does not wait for ever, and not for everybody', async () => {
    const { server } = newGuarded(scope, GLOBAL).app;
    const { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections } = server;
    assert.deepEqual(
      { headersTimeout, requestTimeout, keepAliveTimeout, maxConnections },
      { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, maxConnections: 2_048 },
    );
  });

  it('works on 64 requests of a token at once, and on more once some are done or gone', async () => {
    const api = await listening();
    const headers = `authorization: Bearer ${await api.issue('read-only')}\r\n`;
    const other = `authorization: Bearer ${await api.issue('read-only')}\r\n`;
    const all = Array.from({ length: 70 }, () => begin(api.port, headers));
    const stopped = () => all.filter(({ answered }) => answered().startsWith('HTTP/1.1 429'));
    await until('six are stopped', () => stopped().length === 6);
    assert.match(stopped()[0]?.answered() ?? '', /retry-after: 1/i);
    const elsewhere = begin(api.port, other);
    elsewhere.socket.write('0123456789');
    await until('somebody else is answered', () => elsewhere.answered().startsWith('HTTP/1.1 400'));
    const waiting = all.filter(({ answered }) => answered() === '');
    assert.equal(waiting.length, 64);
    waiting[0]?.socket.write('0123456789');
    waiting[1]?.socket.destroy();
    await until('one is answered', () => waiting[0]?.answered().startsWith('HTTP/1.1 400') === true);
    await until('another may begin', async () => {
      const next = begin(api.port, headers);
      next.socket.write('0123456789');
      await until('it is answered', () => next.answered() !== '');
      return next.answered().startsWith('HTTP/1.1 400');
    });
  });

  it('works on any number of an admin of this machine', async () => {
    const api = await listening();
    const all = Array.from({ length: 100 }, () => begin(api.port, ''));
    for (const { socket } of all) socket.write('0123456789');
    await until('all are answered', () => all.every(({ answered }) => answered().startsWith('HTTP/1.1 400')));
  });
});
