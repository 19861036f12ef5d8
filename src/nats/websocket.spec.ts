import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startNats } from '../../test/harness/nats.ts';
import { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { GLOBAL_PEER } from '../resource/audience.ts';
import { open } from '../../test/harness/transport.ts';

// In a file, hence a process, of its own: the library keeps one kind of connection for the whole process.
const scope = new Scope();
after(() => scope.close());

test('carries messages over WebSocket, and comes back', async () => {
  const nats = await startNats(scope);
  await nats.stop();
  const [global, east] = [open(scope, nats.webSocketUrl, ''), open(scope, nats.webSocketUrl, 'east')];
  await until('the reason is said', () => /ECONNREFUSED/.test(east.transport.disconnectedReason() ?? ''));
  await nats.start();
  for (let round = 1; round <= 2; round++) {
    await until('connected', () => global.connected() && east.connected());
    await until('a message arrives', () => {
      east.transport.send(GLOBAL_PEER, `round ${round} ✓`);
      return global.heard.some(([peer, text]) => peer === 'east' && text === `round ${round} ✓`);
    });
    await nats.stop();
    await until('lost', () => !global.connected() && !east.connected());
    await nats.start();
  }
});

test('drops a connection on which nothing answers', async () => {
  const nats = await startNats(scope);
  const east = open(scope, nats.webSocketUrl, 'east');
  await until('connected', () => east.connected());
  nats.freeze();
  for (let sent = 0; sent < 100; sent++) east.transport.send(GLOBAL_PEER, 'x'.repeat(900_000));
  await until('lost', () => !east.connected());
  nats.thaw();
  await until('connected again', () => east.connected());
  assert.equal(east.transport.disconnectedReason(), undefined);
});
