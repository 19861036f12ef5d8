import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, credsAuthenticator, type NatsConnection, PermissionViolationError } from '@nats-io/transport-node';
import { claimsOf, issue, newAuthority, operatorCreds, readAuthority, revoke } from '../../src/nats/authority/zone-authority.ts';
import { serverConfiguration } from '../../src/nats/authority/server-configuration.ts';
import { tellServer } from '../../src/nats/authority/tell-server.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { type Nats, startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { open } from '../harness/transport.ts';
import { until } from '../harness/until.ts';

const scope = new Scope();
after(() => scope.close());

const folder = scope.folder();
const now = (): number => Math.floor(Date.now() / 1000);
let authority = newAuthority();
let nats: Nats;
const files = { global: join(folder, 'global.creds'), east: join(folder, 'east.creds'), west: join(folder, 'west.creds') };

async function give(zone: '' | 'east' | 'west'): Promise<void> {
  const made = await issue(authority, zone, now());
  authority = made.authority;
  writeFileSync(files[zone === '' ? 'global' : zone], made.creds, { mode: 0o600 });
}

before(async () => {
  for (const zone of ['', 'east', 'west'] as const) await give(zone);
  nats = await startNats(scope, serverConfiguration(await claimsOf(authority), join(folder, 'accounts')));
});

function raw(creds: string): Promise<NatsConnection> {
  return connect({ servers: nats.url, authenticator: credsAuthenticator(new TextEncoder().encode(creds)), reconnect: false });
}

/** What the server says to a subscription: nothing within a round trip when it is allowed. */
async function subscribing(connection: NatsConnection, subject: string): Promise<string> {
  let refused = '';
  const callback = (error: Error | null): void => {
    if (error instanceof PermissionViolationError) refused = 'refused';
  };
  connection.subscribe(subject, { callback });
  await connection.flush();
  await connection.flush();
  return refused || 'allowed';
}

async function publishing(connection: NatsConnection, subject: string): Promise<string> {
  const status = connection.status();
  let refused = '';
  void (async () => {
    for await (const event of status) if (event.type === 'error' && event.error instanceof PermissionViolationError) refused = 'refused';
  })();
  connection.publish(subject, 'x', { reply: 'meridian.v1.zone.west.down' });
  await connection.flush();
  await connection.flush();
  return refused || 'allowed';
}

const SUBJECTS = [
  'meridian.v1.zone.east.up',
  'meridian.v1.zone.east.down',
  'meridian.v1.zone.west.up',
  'meridian.v1.zone.west.down',
  'meridian.v1.zone.east1.down',
  'meridian.v1.zone.east.down.more',
  'meridian.v1.zone.east.ask.west',
  'meridian.v1.zone.east.ask.*',
  'meridian.v1.zone.west.ask.east',
  'meridian.v1.zone.*.ask.east',
  'meridian.v1.zone.east.answer.west',
  'meridian.v1.zone.west.answer.east',
  'meridian.v1.zone.*.answer.east',
  'meridian.v1.zone.west.ask.north',
  'meridian.v1.zone.west.answer.north',
  'meridian.v1.zone.east.ask.west.more',
  'meridian.v1.global',
  '_INBOX.abc',
  '$JS.API.INFO',
  '$JS.API.STREAM.CREATE.x',
  '$SYS.REQ.ACCOUNT.PING.CONNZ',
  '$SYS.REQ.USER.INFO',
  '$KV.x.y',
  'anything',
];
/** What is said to east, and what east says. */
const TO_EAST = ['down', '*.ask.east', '*.answer.east', 'west.ask.east', 'west.answer.east'].map((end) =>
  end === 'down' ? 'meridian.v1.zone.east.down' : `meridian.v1.zone.${end}`,
);
const OF_EAST = ['up', 'ask.west', 'answer.west'].map((end) => `meridian.v1.zone.east.${end}`);
const PATTERNS = [
  '>',
  '*',
  'meridian.>',
  'meridian.v1.zone.*.down',
  'meridian.v1.zone.*.up',
  'meridian.v1.zone.*.ask.*',
  'meridian.v1.zone.*.answer.*',
  '_INBOX.>',
  '$SYS.>',
  '$JS.>',
];

describe('a zone with its credential', () => {
  for (const subject of [...SUBJECTS, ...PATTERNS]) {
    it(`hears ${subject}: only what is said to it`, async () => {
      const east = await raw(readFileSync(files.east, 'utf8'));
      assert.equal(await subscribing(east, subject), TO_EAST.includes(subject) ? 'allowed' : 'refused');
      await east.close();
    });
  }
  for (const subject of SUBJECTS.filter((one) => !one.includes('*'))) {
    it(`publishes on ${subject}: only what it says itself`, async () => {
      const east = await raw(readFileSync(files.east, 'utf8'));
      assert.equal(await publishing(east, subject), OF_EAST.includes(subject) ? 'allowed' : 'refused');
      await east.close();
    });
  }
});

describe('credentials', () => {
  it('are needed', async () => {
    await assert.rejects(connect({ servers: nats.url, reconnect: false }), /Authorization/i);
  });

  it('of another authority are worth nothing', async () => {
    const { creds } = await issue(newAuthority(), 'east', now());
    await assert.rejects(raw(creds), /Authorization/i);
    await assert.rejects(raw(await operatorCreds(newAuthority(), now())), /Authorization/i);
  });

  it('end when they expire', async () => {
    const { creds } = await issue(authority, 'east', now() - 100, 50);
    await assert.rejects(raw(creds), /Authorization|expired/i);
  });

  it('carry the sync, and a revoked one ends on the open connection and stays revoked over a restart of the server', async () => {
    const [global, east, west] = [
      open(scope, nats.url, '', files.global),
      open(scope, nats.url, 'east', files.east),
      open(scope, nats.url, 'west', files.west),
    ];
    await until('all are connected', () => global.connected() && east.connected() && west.connected());
    east.transport.send(GLOBAL_PEER, 'from east');
    global.transport.send('west', 'to west');
    await until('both arrived', () => global.heard.length > 0 && west.heard.length > 0);
    assert.deepEqual(global.heard[0], ['east', 'from east']);
    authority = revoke(authority, 'east', now());
    await tellServer(authority, nats.url, {}, now());
    await until('east is gone', () => !east.connected());
    await until('and why is said', () => /Authorization|revoked/i.test(east.transport.disconnectedReason() ?? ''));
    await nats.stop();
    await until('west is gone', () => !west.connected());
    await nats.start();
    await until('west is back', () => west.connected() && global.connected());
    await assert.rejects(raw(readFileSync(files.east, 'utf8')), /Authorization/i);
    assert.equal(east.connected(), false);
    await give('east');
    await until('east is back with a new one', () => east.connected());
  });

  it('of a zone that gets another are revoked', async () => {
    const old = readFileSync(files.west, 'utf8');
    await give('west');
    await tellServer(authority, nats.url, {}, now());
    await assert.rejects(raw(old), /Authorization/i);
    await (await raw(readFileSync(files.west, 'utf8'))).close();
  });
});

it('an authority that is damaged is said to be, without its secrets', () => {
  const text = JSON.stringify({ ...newAuthority(), account: undefined });
  assert.throws(
    () => readAuthority(text),
    (error: Error) => /damaged/.test(error.message) && !/S[OAU][A-Z0-9]{20}/.test(JSON.stringify(error)),
  );
});

it('what is configured on the server holds no secret', async () => {
  const configuration = serverConfiguration(await claimsOf(authority), 'accounts');
  for (const seed of [authority.operator, authority.system, authority.account]) assert.ok(!configuration.includes(seed));
  assert.equal(statSync(files.east).mode & 0o077, 0);
});
