import assert from 'node:assert/strict';
import { createServer, type AddressInfo, Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { MAX_MESSAGE_BYTES } from '../kds/protocol.ts';
import { GLOBAL_PEER } from '../resource/audience.ts';
import { startNats } from '../../test/harness/nats.ts';
import { Scope } from '../../test/harness/scope.ts';
import { until } from '../../test/harness/until.ts';
import { open } from '../../test/harness/transport.ts';

const scope = new Scope();
after(() => scope.close());

describe('the transport on a NATS server', () => {
  test('carries messages between global and zones, each as its subject proves', async () => {
    const nats = await startNats(scope);
    const [global, east, west] = [open(scope, nats.url, ''), open(scope, nats.url, 'east'), open(scope, nats.url, 'west')];
    for (const one of [global, east, west]) await until('connected', () => one.connected());
    await until('east reaches global', () => {
      east.transport.send(GLOBAL_PEER, 'from east');
      return global.heard.some(([peer, text]) => peer === 'east' && text === 'from east');
    });
    await until('global reaches west', () => {
      global.transport.send('west', 'für west ✓');
      return west.heard.some(([peer, text]) => peer === GLOBAL_PEER && text === 'für west ✓');
    });
    east.transport.send('west', 'past global');
    assert.deepEqual(east.heard, []);
    assert.ok(global.heard.every(([peer]) => peer === 'east'));
  });

  test('what becomes due in one task goes out in one write', async (t) => {
    const nats = await startNats(scope);
    const [global, east, west] = [open(scope, nats.url, ''), open(scope, nats.url, 'east'), open(scope, nats.url, 'west')];
    for (const one of [global, east, west]) await until('connected', () => one.connected());
    await until('both are reached', () => {
      for (const zone of ['east', 'west']) global.transport.send(zone, 'first');
      return east.heard.length > 0 && west.heard.length > 0;
    });
    const port = Number(new URL(nats.url).port);
    const written = t.mock.method(Socket.prototype, 'write');
    const writes = () =>
      written.mock.calls.filter(
        (call) => (call.this as Socket).remotePort === port && Buffer.from(call.arguments[0] as Uint8Array).includes('PUB'),
      );
    for (let n = 0; n < 32; n++) global.transport.send(n % 2 === 0 ? 'east' : 'west', `${'x'.repeat(400)} ${n}`);
    await until('all arrived', () => [east, west].every(({ heard }) => heard.filter(([, text]) => text.startsWith('x')).length === 16));
    assert.equal(writes().length, 1);
  });

  test('another process of global is heard, the own one is not', async () => {
    const nats = await startNats(scope);
    const [one, two] = [open(scope, nats.url, ''), open(scope, nats.url, '')];
    await until('connected', () => one.connected() && two.connected());
    await until('two hears one', () => {
      one.transport.send(GLOBAL_PEER, 'here I am');
      return two.heard.some(([peer]) => peer === GLOBAL_PEER);
    });
    assert.deepEqual(one.heard, []);
  });

  test('finds a server that comes late, and one that comes back', async () => {
    const nats = await startNats(scope);
    await nats.stop();
    const east = open(scope, nats.url, 'east');
    await until('the reason is said', () => east.logged('NATS is away'));
    assert.equal(east.connected(), false);
    assert.match(east.transport.disconnectedReason() ?? '', /ECONNREFUSED/);
    for (let round = 0; round < 2; round++) {
      await nats.start();
      await until('connected', () => east.connected());
      assert.equal(east.transport.disconnectedReason(), undefined);
      await nats.stop();
      await until('lost', () => !east.connected());
      east.transport.send(GLOBAL_PEER, 'dropped');
    }
    await nats.start();
    const global = open(scope, nats.url, '');
    await until('both are back', () => east.connected() && global.connected());
    await until('a message arrives', () => {
      east.transport.send(GLOBAL_PEER, 'again');
      return global.heard.length > 0;
    });
    assert.ok(global.heard.every(([, text]) => text === 'again'));
  });

  test('of several servers takes one that answers, and the next one when that is gone', async () => {
    const [one, two] = [await startNats(scope), await startNats(scope)];
    await one.stop();
    const east = open(scope, `${one.url}, ${two.url}`, 'east');
    const isAt = (url: string) => east.connected() && isDeepStrictEqual(east.log.at(-1)?.details, { url });
    await until('connected to the one that is there', () => isAt(two.url));
    for (const [here, gone] of [
      [one, two],
      [two, one],
    ] as const) {
      await here.start();
      await gone.stop();
      await until('connected to the other', () => isAt(here.url));
    }
    await two.stop();
    await until('why neither answers', () =>
      [one, two].every(({ url }) => east.transport.disconnectedReason()?.includes(`${url}: connect ECONNREFUSED`)),
    );
  });

  test('drops a connection on which nothing answers, and comes back', async () => {
    const nats = await startNats(scope);
    const east = open(scope, nats.url, 'east');
    await until('connected', () => east.connected());
    nats.freeze();
    // More than the sockets hold: the library's own way to give a connection up waits for them to be written.
    for (let sent = 0; sent < 100; sent++) east.transport.send(GLOBAL_PEER, 'x'.repeat(900_000));
    await until('lost', () => !east.connected());
    nats.thaw();
    await until('connected again', () => east.connected());
  });

  test('drops messages that are too large, both ways', async () => {
    const nats = await startNats(scope, 'max_payload: 2MB');
    const global = open(scope, nats.url, '');
    await until('connected', () => global.connected());
    const raw = await connect({ servers: nats.url });
    raw.publish('meridian.v1.zone.east.up', 'x'.repeat(MAX_MESSAGE_BYTES + 1));
    raw.publish('meridian.v1.zone.East.up', 'no zone');
    raw.publish('meridian.v1.zone.east.up', 'x'.repeat(MAX_MESSAGE_BYTES));
    await until('the one of the right size arrives', () => global.heard.length > 0);
    assert.deepEqual(
      global.heard.map(([peer, text]) => [peer, text.length]),
      [['east', MAX_MESSAGE_BYTES]],
    );
    global.transport.send('east', 'x'.repeat(MAX_MESSAGE_BYTES + 1));
    assert.ok(global.logged('a message that is too large was dropped'));
    await raw.close();
  });

  test('leaves no socket behind at a server that says nothing', async () => {
    const sockets = new Set<unknown>();
    let accepted = 0;
    const mute = createServer((socket) => {
      accepted++;
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
      socket.resume();
    }).listen(0, '127.0.0.1');
    scope.add(() => void mute.close());
    await until('listening', () => mute.listening);
    const east = open(scope, `nats://127.0.0.1:${(mute.address() as AddressInfo).port}`, 'east');
    await until('tried twice', () => accepted >= 2);
    assert.equal(east.connected(), false);
    assert.match(east.transport.disconnectedReason() ?? '', /does not answer/);
    await east.transport.close(1_000);
    await until('no socket is left', () => sockets.size === 0);
  });

  test('says that it may not listen, and tries again', async () => {
    const nats = await startNats(scope, 'authorization { users: [{ user: u, password: p, permissions: { subscribe: "nothing" } }] }');
    const url = nats.url.replace('//', '//u:p@');
    const east = open(scope, url, 'east');
    await until(
      'the violation is said',
      () => east.logged('NATS is away') && /permission/i.test(east.transport.disconnectedReason() ?? ''),
    );
    assert.ok(!JSON.stringify(east.log).includes('u:p'));
  });

  test('a credential that lets zones say nothing to each other carries the sync all the same', async () => {
    const [up, down] = ['meridian.v1.zone.east.up', 'meridian.v1.zone.east.down'];
    const user = (name: string, permissions: string) => `{ user: ${name}, password: p, permissions: ${permissions} }`;
    const users = [user('east', `{ publish: "${up}", subscribe: "${down}" }`), user('all', '{ publish: ">", subscribe: ">" }')];
    const nats = await startNats(scope, `authorization { users: [${users.join(', ')}] }`);
    const as = (name: string) => nats.url.replace('//', `//${name}:p@`);
    const [global, east, west] = [open(scope, as('all'), ''), open(scope, as('east'), 'east'), open(scope, as('all'), 'west')];
    for (const one of [global, east, west]) await until('connected', () => one.connected());
    await until('east says why', () => /credential/.test(east.transport.unreachable('west') ?? ''));
    await until('global is reached', () => {
      east.transport.send(GLOBAL_PEER, 'from east');
      return global.heard.length > 0;
    });
    assert.deepEqual([east.connected(), west.transport.unreachable('east')], [true, undefined]);
  });

  test('zones reach each other, and nobody else hears it', async () => {
    const nats = await startNats(scope);
    const [east, west, north] = [open(scope, nats.url, 'east'), open(scope, nats.url, 'west'), open(scope, nats.url, 'north')];
    assert.match(east.transport.unreachable('west') ?? '', /NATS is away/);
    for (const one of [east, west, north]) await until('connected', () => one.connected());
    const said: string[] = [];
    for (const one of [west, north])
      one.transport.onSaid((lane, from, text) => said.push(`${one === west ? 'west' : 'north'} ${lane} ${from} ${text()}`));
    await until('west hears both', () => {
      east.transport.say('ask', 'west', '?');
      east.transport.say('answer', 'west', '!');
      return said.includes('west ask east ?') && said.includes('west answer east !');
    });
    for (const zone of ['*', '>', 'west.more', '']) east.transport.say('ask', zone, 'never');
    assert.deepEqual([...new Set(said)], ['west ask east ?', 'west answer east !']);
    assert.deepEqual([east.transport.unreachable('west'), west.heard], [undefined, []]);
  });

  test('says that the server does not know it', async () => {
    const nats = await startNats(scope, 'authorization { user: u, password: p }');
    const east = open(scope, nats.url, 'east');
    await until('the refusal is said', () => /authorization/i.test(east.transport.disconnectedReason() ?? ''));
    const known = open(scope, nats.url.replace('//', '//u:p@'), 'east');
    await until('the other is let in', () => known.connected());
  });

  test('sends what is on its way before it closes', async () => {
    const nats = await startNats(scope);
    const [global, east] = [open(scope, nats.url, ''), open(scope, nats.url, 'east')];
    await until('connected', () => global.connected() && east.connected());
    await until('global listens', () => {
      east.transport.send(GLOBAL_PEER, 'ping');
      return global.heard.length > 0;
    });
    for (let i = 0; i < 100; i++) east.transport.send(GLOBAL_PEER, `last ${i}`);
    await east.transport.close(5_000);
    await until('all arrived', () => global.heard.some(([, text]) => text === 'last 99'));
    assert.equal(global.heard.filter(([, text]) => text.startsWith('last')).length, 100);
    east.transport.send(GLOBAL_PEER, 'closed');
  });
});
