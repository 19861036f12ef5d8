import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../resource/store/store.ts';
import { ANSWER_TIMEOUT, LINE_BYTES, type PageBody } from './protocol.ts';
import {
  NEW_RECEIVING,
  onApplied,
  onHead,
  onLost,
  onPage,
  onPush,
  onTick,
  takenBytes,
  type ApplyOutcome,
  type ReceiverStep,
  type Receiving,
} from './receiver.ts';

const DIGEST = 'd0';
/** `7`, or `7x`: revision 7 with another digest; `7 t2`: of term 2. */
function at(text: string): Position {
  const [, revision, other, term] = /^(\d+)(x?)(?: t(\d))?$/.exec(text) ?? [];
  return {
    store: 'aa',
    term: Number(term ?? 1),
    revision: Number(revision),
    digest: other ? 'dx' : DIGEST + revision,
    count: 1,
    signature: '',
  };
}

type Event =
  | readonly [on: 'head', head: string]
  | readonly [on: 'push', from: string, end: string]
  | readonly [on: 'page', page: Partial<PageBody>, lines?: number]
  | readonly [on: ApplyOutcome, position?: string]
  | readonly [on: 'tick', later: number]
  | readonly [on: 'lost'];

/**
 * Plays events for a receiver that has `mine`; ids are 1, 2, ...; each page answers the last request. Out: the effects
 * of each event.
 */
function play(mine: string | undefined, events: readonly Event[], maxTransfer = 1e6): string[] {
  let state: Receiving = NEW_RECEIVING;
  let position = mine === undefined ? undefined : at(mine);
  let now = 0;
  let ids = 0;
  return events.map((event) => {
    if (event[0] === 'tick') now += event[1];
    if (event[0] === 'applied' && event[1] !== undefined) position = at(event[1]);
    const context = { position, now, random: 1, id: String(++ids), maxTransfer, mostBytes: 1e6 };
    const result = one(state, event, context);
    state = result.state;
    return result.effects.map(describe).join(', ') || '-';
  });
}

function one(state: Receiving, event: Event, context: Parameters<typeof onHead>[2]): ReceiverStep {
  switch (event[0]) {
    case 'head':
      return onHead(state, at(event[1]), context);
    case 'push': {
      const { digest, count } = at(event[1]);
      return onPush(state, { kind: 'push', from: { digest, count }, end: at(event[2]) }, ['{}'], context);
    }
    case 'page': {
      const page: PageBody = { kind: 'page', id: state.asking?.id ?? '0', revision: 9, ...event[1] };
      return onPage(
        state,
        page,
        Array.from({ length: event[2] ?? 1 }, () => '{}'),
        context,
      );
    }
    case 'tick':
      return onTick(state, context);
    case 'lost':
      return onLost(state);
    case 'applied':
    case 'failed':
    case 'mismatch':
      return onApplied(state, event[0], context);
  }
}

function describe(effect: ReceiverStep['effects'][number]): string {
  if (effect.do === 'apply') return `apply ${effect.mode} to ${effect.end.revision}`;
  if (effect.do === 'adopt') return `adopt ${effect.position.revision}`;
  if (effect.do !== 'ask') return effect.do;
  const { ask } = effect;
  if (ask.mode === 'delta') return `ask delta ${ask.cursor.revision} after ${ask.after}`;
  if (ask.mode === 'tail') return `ask tail ${ask.revision} after ${ask.after}`;
  const shown = ask.mode === 'scan' && ask.cursor ? ` showing ${ask.cursor.revision}` : '';
  return `ask ${ask.mode}${ask.after ? ` after ${ask.after[4]}` : ''}${shown}`;
}

const KEY: [string, string, string, string, string] = ['', '', '', '', 'k'];

const TABLE: readonly (readonly [title: string, mine: string | undefined, events: readonly Event[], out: readonly string[]])[] = [
  ['what is known needs nothing', '7', [['head', '7']], ['-']],
  ['behind: the delta', '5', [['head', '7']], ['unstage, ask delta 5 after 0']],
  ['no cursor: a scan', undefined, [['head', '7']], ['unstage, ask scan']],
  ['a later term: a scan', '5', [['head', '2 t2']], ['unstage, ask scan showing 5']],
  ['ahead of the head: the cursor is shown', '9', [['head', '7']], ['unstage, ask delta 9 after 0']],
  ['another digest at the same revision: the cursor is shown, nothing is scanned', '7', [['head', '7x']], ['unstage, ask delta 7 after 0']],
  [
    'an earlier head of a later term stays behind',
    '5',
    [
      ['head', '7 t2'],
      ['head', '9'],
    ],
    ['unstage, ask scan showing 5', '-'],
  ],
  [
    'a delta of two pages is one commit',
    '5',
    [
      ['head', '7'],
      ['page', { next: 30 }],
      ['page', { end: at('7') }],
      ['applied', '7'],
    ],
    ['unstage, ask delta 5 after 0', 'stage, ask delta 5 after 30', 'apply delta to 7', '-'],
  ],
  [
    'a scan has a tail, from the revision of its first page',
    undefined,
    [
      ['head', '7'],
      ['page', { revision: 7, next: KEY }],
      ['page', { revision: 8 }],
      ['page', { revision: 9, next: 40 }],
      ['page', { end: at('9') }],
    ],
    ['unstage, ask scan', 'stage, ask scan after k', 'stage, ask tail 7 after 0', 'stage, ask tail 7 after 40', 'apply scan to 9'],
  ],
  [
    'a log that does not reach back: a scan',
    '5',
    [
      ['head', '7'],
      ['page', { scan: true }],
    ],
    ['unstage, ask delta 5 after 0', 'unstage, ask scan showing 5'],
  ],
  [
    'a tail that the log lost: later again',
    undefined,
    [
      ['head', '7'],
      ['page', {}],
      ['page', { scan: true }],
      ['tick', 400],
    ],
    ['unstage, ask scan', 'stage, ask tail 9 after 0', 'unstage', 'unstage, ask scan'],
  ],
  [
    'an answer that was not asked for',
    '5',
    [
      ['page', { end: at('7') }],
      ['head', '7'],
      ['page', { id: 'ff', end: at('7') }],
    ],
    ['-', 'unstage, ask delta 5 after 0', '-'],
  ],
  ['a push that fits', '5', [['push', '5', '6']], ['apply delta to 6']],
  ['a push for another digest is news', '5', [['push', '4', '6']], ['unstage, ask delta 5 after 0']],
  ['a push that comes again', '6', [['push', '6', '6']], ['-']],
  [
    'a push while something is asked waits',
    '5',
    [
      ['head', '7'],
      ['push', '5', '8'],
      ['page', { end: at('7') }],
      ['applied', '7'],
    ],
    ['unstage, ask delta 5 after 0', '-', 'apply delta to 7', 'unstage, ask delta 7 after 0'],
  ],
  ['a push of another term is news', '5', [['push', '5', '6 t2']], ['unstage, ask scan showing 5']],
  [
    'a mismatch: a scan, after a pause, with the cursor',
    '5',
    [['push', '5', '6'], ['mismatch'], ['tick', 399], ['tick', 1]],
    ['apply delta to 6', 'unstage', '-', 'unstage, ask scan showing 5'],
  ],
  [
    'a full disk: the same again, after a pause',
    '5',
    [['push', '5', '6'], ['failed'], ['tick', 400]],
    ['apply delta to 6', 'unstage', 'unstage, ask delta 5 after 0'],
  ],
  [
    'a peer that says two things of one revision makes no loop',
    '5',
    [
      ['head', '7x'],
      ['page', { end: at('7') }],
      ['applied', '7'],
    ],
    ['unstage, ask delta 5 after 0', 'apply delta to 7', '-'],
  ],
  [
    'the connection is lost',
    '5',
    [['head', '7'], ['lost'], ['tick', 1], ['head', '7']],
    ['unstage, ask delta 5 after 0', 'unstage', '-', 'unstage, ask delta 5 after 0'],
  ],
  [
    'the end of what another process had sent is no word of this one: its cursor is shown',
    undefined,
    [['head', '64'], ['page', {}], ['page', { end: at('64') }], ['lost'], ['head', '5'], ['applied', '64']],
    ['unstage, ask scan', 'stage, ask tail 9 after 0', 'apply scan to 64', '-', '-', 'unstage, ask delta 64 after 0'],
  ],
  [
    'a late answer to a question that was asked again is an answer',
    '5',
    [
      ['head', '7'],
      ['tick', ANSWER_TIMEOUT],
      ['page', { id: '1', end: at('7') }],
    ],
    ['unstage, ask delta 5 after 0', 'ask delta 5 after 0', 'apply delta to 7'],
  ],
  [
    'what a scan is needed for is not forgotten with the connection',
    '5',
    [['push', '5', '6'], ['mismatch'], ['lost'], ['head', '6']],
    ['apply delta to 6', 'unstage', '-', 'unstage, ask scan showing 5'],
  ],
];

test('transcripts', async (t) => {
  for (const [title, mine, events, out] of TABLE) await t.test(title, () => assert.deepEqual(play(mine, events), out));
});

test('a mirror that agrees with a head far ahead takes over its revision', () => {
  const far = { ...at('5000'), digest: at('5').digest };
  const context = { position: at('5'), now: 0, random: 0, id: '1', maxTransfer: 1, mostBytes: 1e6 };
  assert.deepEqual(onHead(NEW_RECEIVING, far, context).effects, [{ do: 'adopt', position: far }]);
  assert.deepEqual(onHead(NEW_RECEIVING, { ...far, revision: 900 }, context).effects, []);
});

test('an answer that does not come is asked for five times, then later and later', () => {
  const out = play('5', [['head', '7'], ...Array.from({ length: 5 }, () => ['tick', ANSWER_TIMEOUT] as const), ['tick', 399], ['tick', 1]]);
  const ask = 'ask delta 5 after 0';
  assert.deepEqual(out, [`unstage, ${ask}`, ask, ask, ask, ask, 'unstage', '-', `unstage, ${ask}`]);
});

test('a transfer without end is given up', () => {
  const endless = Array.from({ length: 5 }, () => ['page', { next: KEY }, 0] as const);
  assert.deepEqual(play(undefined, [['head', '7'], ...endless], 2_000).slice(3), ['stage, ask scan after k', 'unstage', '-']);
  const last: Event[] = [
    ['head', '7'],
    ['page', {}],
    ['page', { end: at('7') }, 9],
  ];
  assert.deepEqual(play(undefined, last, 2_000), ['unstage, ask scan', 'stage, ask tail 9 after 0', 'unstage']);
});

test('a feed that counts more than a transfer may hold is not asked for, and fails', () => {
  const context = { position: undefined, now: 0, random: 0, id: '1', maxTransfer: 10 * LINE_BYTES, mostBytes: 1e6 };
  const told = onHead(NEW_RECEIVING, { ...at('7'), count: 11 }, context);
  assert.deepEqual([told.effects, told.state.failures], [[{ do: 'unstage' }], 1]);
  assert.equal(onHead(NEW_RECEIVING, { ...at('7'), count: 10 }, context).state.failures, 0);
});

test('while answers do not come less is taken at once, down to a floor, and after a while the whole again', () => {
  const context = (now: number) => ({ position: undefined, now, random: 0, id: '1', maxTransfer: 1e9, mostBytes: 1_000_000 });
  let { state } = onHead(NEW_RECEIVING, at('7'), context(0));
  const taken: number[] = [];
  for (let time = 0; time < 6; time++) {
    const now = (time + 1) * ANSWER_TIMEOUT;
    ({ state } = onTick(state, context(now)));
    taken.push(takenBytes(state, context(now)));
  }
  assert.deepEqual(taken.slice(0, 5), [250_000, 62_500, 15_625, 4_096, 4_096]);
  assert.equal(takenBytes(onLost(state).state, context(100_000)), 4_096);
  assert.equal(takenBytes(state, { now: 0, mostBytes: 1_024 }), 1_024);
  assert.equal(takenBytes(state, context(1_000_000)), 1_000_000);
});
