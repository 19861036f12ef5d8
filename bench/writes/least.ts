import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from '@nats-io/transport-node';
import Database from 'better-sqlite3';

/**
 * The least program that does what a change needs: HTTP, a durable commit, NATS and a durable commit. As `global` it
 * keeps what is PUT to it and passes it on; as `zone` it keeps what was passed on. Arguments: role, NATS, database.
 */
const [role, servers = '', path = ''] = process.argv.slice(2);

const db = new Database(path);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE items (name TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL)');
const upsert = db.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?)');
const select = db.prepare<[string], { body: string; at: number }>('SELECT body, at FROM items WHERE name = ?');

const nats = await connect({ servers });
const take = (name: string, body: string): void => void upsert.run(name, body, Date.now());
if (role === 'zone') {
  nats.subscribe('items', {
    callback: (_, message) => {
      const { name, body } = message.json<{ name: string; body: string }>();
      take(name, body);
    },
  });
}

const server = createServer(async (request, response) => {
  const name = request.url ?? '';
  if (request.method === 'PUT') {
    const body = await text(request);
    take(name, body);
    nats.publish('items', JSON.stringify({ name, body }));
    response.end('{}');
  } else response.end(JSON.stringify(select.get(name) ?? {}));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
