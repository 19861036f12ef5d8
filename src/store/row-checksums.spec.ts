import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { readFileSync, writeFileSync } from 'node:fs';
import { OTHERS } from '../resource/audience.ts';
import { openSnapshot, openStore } from './open-store.ts';
import { key, resource } from '../../test/harness/sample-store.ts';
import { freshPath, OPTIONS } from '../../test/harness/test-store.ts';

const SAYS = 'spiffe://td/ns/shop/sa/evil';

/** One resource and one item of a peer, both with `SAYS` in them, in a file without WAL. */
function write(path: string): void {
  const store = openStore(path, OPTIONS);
  store.commit((tx) => {
    tx.put(resource(key('deny'), { spec: { deny: SAYS } }), OTHERS, 'wire of deny');
    const refusal = { key: key('sent'), hash: 'the hash', reason: 'refused, why', since: 'now', inForce: 'none' as const };
    tx.mirror.put('east', { key: key('sent'), wire: 'wire of sent', hash: 'hash', term: 1, refusal });
  });
  store.close();
}

/** Every place of `text` in the file, one bit of its middle turned. */
function* spoilt(bytes: Buffer, text: string): Generator<Buffer> {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    const copy = Buffer.from(bytes);
    const middle = at + (text.length >> 1);
    copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle);
    yield copy;
  }
}

test('one bit in what a row says is damage, though the pages are whole', async (t) => {
  const path = freshPath(t);
  write(path);
  const bytes = readFileSync(path);
  for (const text of [SAYS, 'wire of deny', 'wire of sent', 'refused, why', 'the hash']) {
    await t.test(text, () => {
      const files = [...spoilt(bytes, text)];
      assert.ok(files.length > 0);
      for (const file of files) {
        writeFileSync(path, file);
        assert.throws(() => openStore(path, OPTIONS), { code: 'invalid', message: /damaged.*is not as it was written/ });
        assert.throws(() => openSnapshot(file, OPTIONS), { code: 'invalid' });
      }
    });
  }
});

test("a key that became another one is damage, and so is a seal that is not the row's", (t) => {
  const path = freshPath(t);
  write(path);
  for (const break_ of [
    "UPDATE keys SET name = 'other' WHERE name = 'deny'",
    "UPDATE resources SET seal = '' WHERE display_name = 'deny'",
  ]) {
    const file = readFileSync(path);
    new Database(path).exec(break_).close();
    assert.throws(() => openStore(path, OPTIONS), { code: 'invalid', message: /the row of MeshTimeout .*/ });
    writeFileSync(path, file);
  }
});

test('what is written again is sealed again', (t) => {
  const path = freshPath(t);
  write(path);
  const store = openStore(path, OPTIONS);
  store.commit((tx) => {
    tx.put(resource(key('deny'), { spec: { deny: 'another' } }), OTHERS, 'another');
    tx.mirror.put('east', { key: key('sent'), wire: 'another', hash: 'other', term: 2 });
  });
  store.close();
  openStore(path, OPTIONS).close();
});

test('what is cut within a character, or holds any other, is sealed as it is read', (t) => {
  const path = freshPath(t);
  const texts = ['cut \ud83d', '\ude00 cut', 'whole \u{1f600}', 'nul \u0000 in it', 'quote " and \\', '\u2028 é'];
  const store = openStore(path, OPTIONS);
  store.commit((tx) => {
    for (const [index, reason] of texts.entries()) {
      const of = key(`k${index}`);
      tx.put(resource(of, { name: `n${index}`, spec: { reason: reason.toWellFormed() } }), OTHERS, `{"wire":${JSON.stringify(reason)}}`);
      const refusal = { key: of, hash: 'h', reason, since: 'now', inForce: 'none' as const };
      tx.mirror.put('east', { key: of, wire: reason, hash: 'hash', term: index, refusal });
    }
  });
  store.close();
  const again = openStore(path, OPTIONS);
  assert.equal(again.mirror.refusals('east').length, texts.length);
  again.close();
});
