import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { DialledConnection } from './dial-nats.ts';
import { Link, WINDOW_BYTES } from './nats-link.ts';

/** A server that confirms what it has when it is told to. */
function stalled() {
  let sent = 0;
  let confirmed = 0;
  const flushes: (() => void)[] = [];
  const connection = {
    status: () => [],
    closed: () => new Promise(() => {}),
    isClosed: () => false,
    isDraining: () => false,
    info: undefined,
    publish: (_subject: string, text: string) => {
      sent += text.length;
    },
    flush: () => {
      const upTo = sent;
      return new Promise<void>((resolve) =>
        flushes.push(() => {
          confirmed = upTo;
          resolve();
        }),
      );
    },
  };
  const link = new Link({ connection, terminate: () => {} } as unknown as DialledConnection, () => {});
  return { link, sent: () => sent, unconfirmed: () => sent - confirmed, confirm: () => flushes.shift()?.() };
}

test('what a server has not confirmed is bounded: the rest is dropped, until it confirms again', async () => {
  const size = fc.integer({ min: 1, max: 900_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(size, fc.constant('confirm' as const)), { minLength: 150, maxLength: 250 }), async (steps) => {
      const { link, sent, unconfirmed, confirm } = stalled();
      for (const step of steps) {
        if (step === 'confirm') confirm();
        else link.publish('subject', 'x'.repeat(step));
        await new Promise(setImmediate);
        assert.ok(unconfirmed() <= WINDOW_BYTES);
      }
      for (let step = 0; step < 200; step++) {
        confirm();
        await new Promise(setImmediate);
      }
      const before = sent();
      link.publish('subject', 'x');
      assert.equal(sent(), before + 1);
    }),
    { numRuns: 5 },
  );
});

test('a server that confirms nothing is sent the window, and no more', () => {
  const { link, sent } = stalled();
  for (let message = 0; message < 200; message++) link.publish('subject', 'x'.repeat(900_000));
  assert.ok(sent() <= WINDOW_BYTES && sent() > WINDOW_BYTES - 900_000);
});
