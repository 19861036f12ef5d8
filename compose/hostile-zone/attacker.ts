import { readFileSync } from 'node:fs';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import { decodeReply, encodeAsk } from '../../src/kds/access/access-messages.ts';
import type { Item } from '../../src/kds/item.ts';
import { downSubject, laneSubject, upSubject } from '../../src/nats/subjects.ts';
import { Attacker } from '../../test/hostile/attacker.ts';
import { Scope } from '../../test/harness/scope.ts';

/**
 * Whoever has the credential of the zone west: `node attacker.mjs URL CREDENTIALS`. It tries what such a one can try,
 * says what comes of it, a line each, and goes on until NATS ends its connection.
 */
const [url = '', file = ''] = process.argv.slice(2);
const creds = readFileSync(file);
const connection = await connect({ servers: url, authenticator: credsAuthenticator(creds), reconnect: false }).catch((thrown: Error) => {
  console.log(`NATS lets me in no more: ${thrown.message}`);
  process.exit(1);
});
void connection.closed().then((error) => {
  console.log(`NATS ends my connection: ${error instanceof Error ? error.message : 'for no reason'}`);
  process.exit(1);
});
void (async () => {
  for await (const status of connection.status()) if (status.type === 'error') console.log(`NATS refuses: ${status.error.message}`);
})();

/** Everybody may enter everywhere. */
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
/** As many as are refused without the whole being refused: more than what a zone may have here, and less than twice that. */
const FLOOD = Array.from({ length: 150 }, (_, n) => item({ name: `forged-flood-${n}` }));

const west = await Attacker.open(new Scope(), url, 'west', creds.toString());
west.holds([...FORGED, ...FLOOD]);
console.log(`I said that I have ${FORGED.length + FLOOD.length} resources`);

const question = encodeAsk({
  id: 'e1',
  mesh: 'default',
  service: { name: 'backend', namespace: 'backend-ns' },
  caller: { identity: 'spiffe://default.west.mesh.local/ns/shop/sa/web', attributes: { 'k8s:ns': 'shop', 'site:name': 'north' } },
});
connection.subscribe(downSubject('east'), { callback: () => {} });
connection.publish(upSubject('east'), 'I am east');
connection.publish(downSubject('east'), 'I am global');
connection.publish(laneSubject('north', 'ask', 'east'), question);
connection.publish(laneSubject('east', 'answer', 'north'), 'I am east');
connection.subscribe(laneSubject('east', 'answer', 'west'), {
  callback: (_, message) => {
    const reply = decodeReply(message.string());
    console.log(`east ${reply?.allowed ? 'lets me in' : `denies: ${reply?.why}`}`);
  },
});
setInterval(() => connection.publish(laneSubject('west', 'ask', 'east'), question), 1_000);
