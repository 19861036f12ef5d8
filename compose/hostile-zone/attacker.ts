import { readFileSync } from 'node:fs';
import { connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { decodeReply, encodeAsk } from '../../src/kds/access/access-messages.ts';
import type { Item } from '../../src/kds/item.ts';
import { downSubject, laneSubject, upSubject } from '../../src/nats/subjects.ts';
import { Attacker } from '../../test/hostile/attacker.ts';
import { Scope } from '../../test/harness/scope.ts';

/**
 * Whoever has the credential of the zone west: `node attacker.js URL CREDENTIALS`. It tries what such a one can try,
 * says what comes of it, a line each, and goes on until NATS ends its connection.
 */
async function attack(url: string, creds: Buffer): Promise<void> {
  const connection = await connect({ servers: url, authenticator: credsAuthenticator(creds), reconnect: false });
  void connection.closed().then((error) => end(`NATS ends my connection: ${error instanceof Error ? error.message : 'for no reason'}`));
  void sayRefusals(connection);
  const west = await Attacker.open(new Scope(), url, 'west', creds.toString());
  west.holds([...FORGED, ...FLOOD]);
  console.log(`I said that I have ${FORGED.length + FLOOD.length} resources`);
  speakAsOthers(connection);
  askEast(connection);
}

function end(why: string): void {
  console.log(why);
  process.exit(1);
}

async function sayRefusals(connection: NatsConnection): Promise<void> {
  for await (const status of connection.status()) if (status.type === 'error') console.log(`NATS refuses: ${status.error.message}`);
}

/** Everybody of west may enter everywhere. */
const OPEN = { rules: [{ default: { allow: [{ spiffeID: { type: 'Prefix', value: 'spiffe://default.west.mesh.local' } }] } }] };
const GLOBALS = {
  'kuma.io/zone': 'east',
  'kuma.io/origin': 'global',
  'kuma.io/policy-role': 'system',
  'k8s.kuma.io/namespace': 'kuma-system',
};

function item(key: Partial<Item['key']>, more: Partial<Item> = {}): Item {
  return {
    key: { type: 'MeshTrafficPermission', mesh: 'default', zone: 'west', namespace: 'shop', name: 'forged', ...key },
    labels: {},
    spec: OPEN,
    ...more,
  };
}

const FORGED = [
  item({ zone: 'east', name: 'forged-of-east' }),
  item({ zone: '', namespace: '', name: 'forged-of-global' }),
  item({ name: 'forged-labels' }, { labels: GLOBALS }),
  item({ type: 'Mesh', mesh: '', zone: '', namespace: '', name: 'default' }, { spec: {} }),
  item({ type: 'Zone', mesh: '', zone: '', namespace: '', name: 'east' }, { spec: { enabled: false } }),
];
/** More than the 100 that a zone may have here, and less than twice that, of which nothing would be looked at. */
const FLOOD = Array.from({ length: 150 }, (_, n) => item({ name: `forged-too-many-${n}` }));

/** West, which is of no site that it could choose, says that it is north. */
const QUESTION = encodeAsk({
  id: 'e1',
  mesh: 'default',
  service: { name: 'backend', namespace: 'backend-ns' },
  caller: { identity: 'spiffe://default.west.mesh.local/ns/shop/sa/web', attributes: { 'k8s:ns': 'shop', 'site:name': 'north' } },
});

function speakAsOthers(connection: NatsConnection): void {
  connection.subscribe(downSubject('east'), { callback: () => {} });
  connection.publish(upSubject('east'), 'I am east');
  connection.publish(downSubject('east'), 'I am global');
  connection.publish(laneSubject('north', 'ask', 'east'), QUESTION);
  connection.publish(laneSubject('east', 'answer', 'north'), 'I am east');
}

/** Again and again: east first has to hear from global that there is a zone west. */
function askEast(connection: NatsConnection): void {
  const callback = (_: Error | null, message: { string(): string }): void => {
    const reply = decodeReply(message.string());
    console.log(`east ${reply?.allowed ? 'lets me in' : `denies: ${reply?.why}`}`);
  };
  connection.subscribe(laneSubject('east', 'answer', 'west'), { callback });
  setInterval(() => connection.publish(laneSubject('west', 'ask', 'east'), QUESTION), 1_000);
}

const [url = '', file = ''] = process.argv.slice(2);
attack(url, readFileSync(file)).catch((thrown: Error) => end(`NATS lets me in no more: ${thrown.message}`));
