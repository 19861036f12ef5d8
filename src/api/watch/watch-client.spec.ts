import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { HistoryChange } from '../../resource/store/history.ts';
import { WatchClient } from './watch-client.ts';
import type { WatchMessage, Pages } from './watch-pages.ts';

/** A socket that keeps what it is given until `drain`. */
function stuckSocket() {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    on: () => socket,
    send: (text: string, done: () => void) => void (sent.push(text), waiting.push(done)),
    close: (code: number) => void sent.push(`closed ${code}`),
  };
  const drain = async (): Promise<void> => {
    for (const done of waiting.splice(0)) done();
    await turn();
  };
  return { socket: socket as unknown as WebSocket, sent, drain };
}

/** A history of so many puts, in pages of 10. */
function pagesOf(count: () => number): Pages {
  const message = (revision: number): WatchMessage => ({ revision, number: 1, deleted: false, text: `put ${revision}` });
  const behind = ({ revision }: Pick<HistoryChange, 'revision'>) =>
    Array.from({ length: Math.min(10, count() - revision) }, (_, index) => message(revision + 1 + index));
  return { behind } as unknown as Pages;
}

describe('WatchClient', () => {
  const at = { kind: 'resume', at: { revision: 0, number: 0 } } as const;

  it('holds one page for a client that reads nothing, however much there is and however often it is woken', async () => {
    const { socket, sent, drain } = stuckSocket();
    let count = 1_000;
    const client = new WatchClient(
      socket,
      { pages: pagesOf(() => count), epoch: 'a', head: () => count, reaches: () => true, failed: (thrown) => assert.fail(String(thrown)) },
      {},
      at,
    );
    for (let time = 0; time < 5; time++) {
      count += 100;
      client.wake();
      await turn();
    }
    assert.equal(sent.length, 10);
    await drain();
    assert.equal(sent.length, 20);
    while (sent.length < count) await drain();
    assert.deepEqual(
      sent,
      Array.from({ length: count }, (_, index) => `put ${index + 1}`),
    );
    client.ended();
  });

  it('closes the connection when the history fails, and says so', async () => {
    const { socket, sent } = stuckSocket();
    const failures: unknown[] = [];
    const pages = { behind: () => assert.fail('broken') } as unknown as Pages;
    const client = new WatchClient(
      socket,
      { pages, epoch: 'a', head: () => 1, reaches: () => true, failed: (thrown) => failures.push(thrown) },
      {},
      at,
    );
    await turn();
    assert.deepEqual([failures.length, sent], [1, ['closed 1011']]);
    client.ended();
  });
});
