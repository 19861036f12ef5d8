import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { cutMessage, LEAST_PAYLOAD, MessageParts } from './message-parts.ts';
import { MAX_MESSAGE_BYTES } from './protocol.ts';

const someText = fc.string({ unit: fc.constantFrom('a', 'ü', '✓', '𝒳', '\n'), maxLength: 5_000 }).map((text) => `{${text}`);
const someLimit = fc.integer({ min: LEAST_PAYLOAD, max: 3_000 });

test('parts are no larger than asked, and make the message again in any order, some of them twice', () => {
  fc.assert(
    fc.property(someText, someLimit, fc.infiniteStream(fc.nat()), (text, most, random) => {
      const parts = cutMessage(text, most, () => '7f');
      for (const part of parts) assert.ok(Buffer.byteLength(part) <= most);
      for (const part of parts) assert.equal(Buffer.from(part).toString(), part);
      const shuffled = parts.map((part) => ({ part, at: random.next().value ?? 0 })).sort((a, b) => a.at - b.at);
      const arrived = shuffled.slice(0, -1).flatMap(({ part }) => [part, part]);
      const whole = new MessageParts();
      for (const part of arrived) assert.equal(whole.add('east', part), undefined);
      assert.equal(whole.add('east', shuffled.at(-1)?.part ?? ''), text);
      assert.equal(whole.size(), 0);
    }),
  );
});

test('the largest message passes through the smallest limit, whatever its characters', () => {
  for (const unit of ['a', '✓']) {
    const text = unit.repeat(Math.floor(MAX_MESSAGE_BYTES / Buffer.byteLength(unit)));
    const whole = new MessageParts();
    const made = cutMessage(text, LEAST_PAYLOAD, () => 'f'.repeat(32)).map((part) => whole.add('east', part));
    assert.ok(made.at(-1) === text && made.slice(0, -1).every((one) => one === undefined));
  }
});

test('the parts of two peers, and of a few messages of one, do not mix', () => {
  const whole = new MessageParts();
  const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1_100));
  const parts = texts.map((text, index) => cutMessage(text, LEAST_PAYLOAD, () => String(index)));
  for (const peer of ['east', 'west']) for (const [first] of parts) assert.equal(whole.add(peer, first ?? ''), undefined);
  for (const peer of ['west', 'east']) {
    assert.deepEqual(
      parts.map(([, second]) => whole.add(peer, second ?? '')),
      texts,
    );
  }
});

test('what is never finished is bounded, for each peer and in all', () => {
  const whole = new MessageParts();
  const part = (id: number, peer = 'east'): void => void whole.add(peer, `part ${id.toString(16)} 0 2\n${'x'.repeat(900_000)}`);
  for (let id = 0; id < 100; id++) part(id);
  assert.ok(whole.size() <= 4 * 900_000);
  for (let id = 0; id < 100; id++) part(id, `zone-${id}`);
  assert.ok(whole.size() <= 64 * 1024 * 1024);
  for (let index = 0; index < 3; index++) whole.add('large', `part 1 ${index} 9\n${'x'.repeat(400_000)}`);
  assert.equal(whole.add('after', '{}'), '{}');
});

test('a part that is none is dropped', () => {
  const whole = new MessageParts();
  for (const head of ['part 1 2 2', 'part 1 0 0', 'part 1 0 99999']) assert.equal(whole.add('east', `${head}\nx`), undefined, head);
  assert.equal(whole.size(), 0);
  whole.add('east', 'part 1 0 2\na');
  assert.equal(whole.add('east', 'part 1 1 3\nb'), undefined);
  assert.equal(whole.add('east', 'part 1 1 2\nc'), 'ac');
});
