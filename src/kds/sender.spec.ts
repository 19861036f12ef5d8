import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../resource/store/store.ts';
import { SILENCE, SILENT_INTERVAL, STATUS_INTERVAL } from './protocol.ts';
import { NEW_SENDING, onAck, onCommit, onSenderTick, type SenderContext, type Sending } from './sender.ts';

function at(revision: number, digest = String(revision)): Position {
  return { store: 'aa', term: 1, revision, digest, count: revision, signature: '' };
}

function context(head: Position, more: Partial<SenderContext> = {}): SenderContext {
  return { head, now: 1_000, heardAt: 1_000, pushes: true, ...more };
}

/** Plays events, and writes what came out of each: `push 5`, `status`, `-`. */
function play(events: readonly [on: 'commit' | 'ack', position: Position, more?: Partial<SenderContext>][]): string[] {
  let state: Sending = NEW_SENDING;
  return events.map(([on, position, more]) => {
    if (on === 'ack') {
      state = onAck(state, { position, refusals: '' }, context(at(99), more));
      return `base ${state.base?.revision ?? 'none'}`;
    }
    const sent = onCommit(state, 0, context(position, more));
    state = sent.state;
    return sent.effects.map((effect) => (effect.do === 'push' ? `push ${effect.base.revision}` : effect.do)).join(' ') || '-';
  });
}

test('transcripts', async (t) => {
  const table: [title: string, events: Parameters<typeof play>[0], out: string[]][] = [
    ['who is not known to be anywhere is only told', [['commit', at(6)]], ['status']],
    [
      'a push starts where the peer is, the next where that one ends',
      [
        ['ack', at(5)],
        ['commit', at(6)],
        ['commit', at(7)],
      ],
      ['base 5', 'push 5', 'push 6'],
    ],
    [
      'a commit that changes nothing for the peer says nothing',
      [
        ['ack', at(5, 'd')],
        ['commit', { ...at(6, 'd'), count: 5 }],
        ['commit', at(7)],
      ],
      ['base 5', '-', 'push 6'],
    ],
    [
      'a late word is no news: the push was on its way',
      [
        ['ack', at(5)],
        ['commit', at(6)],
        ['ack', at(5)],
        ['commit', at(7)],
      ],
      ['base 5', 'push 5', 'base 6', 'push 6'],
    ],
    [
      'a peer that pulled further is followed',
      [
        ['ack', at(5)],
        ['commit', at(6)],
        ['ack', at(8)],
        ['commit', at(9)],
      ],
      ['base 5', 'push 5', 'base 8', 'push 8'],
    ],
    [
      'a cursor of another store is no base',
      [
        ['ack', at(5)],
        ['ack', { ...at(6), store: 'bb' }],
        ['commit', at(7)],
      ],
      ['base 5', 'base none', 'status'],
    ],
    [
      'nor is one of an earlier term',
      [
        ['ack', { ...at(5), term: 2 }],
        ['commit', at(6)],
      ],
      ['base none', 'status'],
    ],
    [
      'a silent peer is not pushed to',
      [
        ['ack', at(5)],
        ['commit', at(6), { now: 1_001 + SILENCE }],
      ],
      ['base 5', '-'],
    ],
    [
      'a zone never pushes',
      [
        ['ack', at(5)],
        ['commit', at(6), { pushes: false }],
      ],
      ['base 5', 'status'],
    ],
  ];
  for (const [title, events, out] of table) await t.test(title, () => assert.deepEqual(play(events), out));
});

test('the head is announced when it is due', () => {
  const first = onSenderTick(NEW_SENDING, context(at(1)));
  assert.deepEqual(first.effects, [{ do: 'status' }]);
  assert.deepEqual(onSenderTick(first.state, context(at(1), { now: 999 + STATUS_INTERVAL })).effects, []);
  assert.deepEqual(onSenderTick(first.state, context(at(1), { now: 1_000 + STATUS_INTERVAL })).effects, [{ do: 'status' }]);
});

test('a zone that is away hears it seldom, global as often as ever: it may know of no zone yet', () => {
  const due = (after: number, pushes: boolean) => {
    const { state } = onSenderTick(NEW_SENDING, context(at(1)));
    return onSenderTick(state, context(at(1), { now: 1_000 + after, heardAt: -SILENCE, pushes })).effects.length;
  };
  assert.deepEqual([due(STATUS_INTERVAL, true), due(SILENT_INTERVAL, true), due(STATUS_INTERVAL, false)], [0, 1, 1]);
});
