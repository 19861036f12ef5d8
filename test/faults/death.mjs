// Preloaded into a daemon by the fault tests (`node --import`), so that production code needs no hook: on SIGUSR2 it
// reads a point from the file $DEATH_FILE, and at the next time that the process comes there it kills itself, as a
// power cut would.
//
//   before BEGIN | after BEGIN | before COMMIT | after COMMIT     of the store's transactions
//   before PUB | after PUB                                        a message to NATS, between two effects of a session
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import Database from 'better-sqlite3';

const STATEMENTS = new Map([
  ['BEGIN IMMEDIATE', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
]);

let point;
process.on('SIGUSR2', () => {
  point = readFileSync(process.env.DEATH_FILE, 'utf8');
});
// A write past RLIMIT_FSIZE is an error to SQLite, not the end of the process.
process.on('SIGXFSZ', () => {});

function reach(here) {
  if (here === point) process.kill(process.pid, 'SIGKILL');
}

function around(name, body) {
  reach(`before ${name}`);
  const result = body();
  reach(`after ${name}`);
  return result;
}

const { prepare } = Database.prototype;
Database.prototype.prepare = function prepareWatched(sql) {
  const statement = prepare.call(this, sql);
  const name = STATEMENTS.get(sql);
  if (name === undefined) return statement;
  const run = statement.run.bind(statement);
  statement.run = (...values) => around(name, () => run(...values));
  return statement;
};

const { write } = Socket.prototype;
Socket.prototype.write = function writeWatched(data, ...rest) {
  const send = () => write.call(this, data, ...rest);
  return isPublished(data) ? around('PUB', send) : send();
};

function isPublished(data) {
  return (
    data instanceof Uint8Array &&
    /(^|\n)H?PUB /.test(Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, 1000)).toString('latin1'))
  );
}
