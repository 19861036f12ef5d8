import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Position } from '../resource/store/store.ts';
import { type Body, SILENCE, type Speaker, type Status } from './protocol.ts';
import type { Context } from './session-context.ts';
import { type Effect, newSession, type Session, step } from './session.ts';

const SELF: Speaker = { store: 'aa', term: 1, incarnation: 1, instance: '1a' };
const PEER: Speaker = { store: 'bb', term: 1, incarnation: 5, instance: '5b' };
const OLDER: Speaker = { ...PEER, incarnation: 4, instance: '4b' };
const LATER: Speaker = { ...PEER, incarnation: 6, instance: '6b' };
const OTHER: Speaker = { ...PEER, store: 'cc', incarnation: 1 };

function at(revision: number, of: Speaker = PEER): Position {
  return { store: of.store, term: of.term, revision, digest: String(revision), count: revision, signature: '' };
}

function status(revision?: number, of: Speaker = PEER, refusals = ''): Status {
  return { kind: 'status', ack: { refusals }, ...(revision === undefined ? {} : { head: at(revision, of) }) };
}

type Say = readonly [from: Speaker, body: Body, more?: Partial<Context>];

/** Lets speakers say things to a session that has the peer's revision 5. Out: what is done about each. */
function hear(says: readonly Say[], start: Session = newSession('east')): { state: Session; out: string[] } {
  let state = start;
  const out = says.map(([from, body, more]) => {
    const context: Context = {
      self: SELF,
      head: at(1, SELF),
      position: at(5),
      recordedRefusals: '',
      pin: PEER.store,
      disabled: false,
      diverged: false,
      pushes: true,
      maxTransfer: 1e6,
      mostBytes: 1e6,
      now: 0,
      random: 0,
      id: '1',
      ...more,
    };
    const result = step(state, { on: 'message', message: { from, body, lines: [] } }, context);
    state = result.state;
    return result.effects.map(show).filter(Boolean).join(', ') || '-';
  });
  return { state, out };
}

function show(effect: Effect): string {
  if (effect.do === 'unstage' || effect.do === 'send-status') return '';
  if (effect.do !== 'send') return effect.do;
  const { body } = effect;
  if (body.kind === 'pull') return `pull ${body.ask.mode}`;
  return body.kind === 'notice' ? `tell ${body.instance ?? 'all'} ${body.code}` : body.kind;
}

const PULL: Body = { kind: 'pull', id: '1', ask: { mode: 'scan' } };
const TABLE: readonly (readonly [title: string, says: readonly Say[], out: readonly string[]])[] = [
  ['the first contact pins the store', [[PEER, status(5), { pin: undefined }]], ['pin']],
  ['another store needs a word, and only its process is meant', [[OTHER, status(9, OTHER)]], ['tell 5b store-changed']],
  [
    'what another store says of this process is nothing',
    [
      [OTHER, { kind: 'notice', code: 'superseded', message: '' }],
      [PEER, status(7)],
    ],
    ['-', 'pull delta'],
  ],
  ['what is behind is pulled', [[PEER, status(7)]], ['pull delta']],
  ['a disabled zone is told, and gets nothing', [[PEER, PULL, { disabled: true }]], ['tell all disabled']],
  ['a halted store serves nothing', [[PEER, PULL, { diverged: true }]], ['tell all diverged']],
  ['but says what it refused', [[PEER, { ...PULL, ask: { mode: 'refusals' } }, { diverged: true }]], ['serve']],
  [
    'a later process takes over, and what was asked of the earlier is void',
    [
      [PEER, status(7)],
      [LATER, status(7)],
    ],
    ['pull delta', 'pull delta'],
  ],
  [
    'a late word of an earlier process is nothing',
    [
      [PEER, status(5)],
      [OLDER, status(9)],
    ],
    ['-', '-'],
  ],
  [
    'of two that live the earlier is told',
    [
      [PEER, status(5)],
      [OLDER, status(9)],
      [OLDER, status(9), { now: 1_000 }],
      [PEER, status(5), { now: 2_000 }],
      [PEER, status(5), { now: 3_000 }],
    ],
    ['-', '-', '-', 'tell 4b superseded', '-'],
  ],
  [
    'what it said itself before its store was recovered comes late, and tells nothing',
    [
      [{ ...PEER, term: 2 }, status(5, { ...PEER, term: 2 })],
      [PEER, status(9)],
      [{ ...PEER, term: 2 }, status(5, { ...PEER, term: 2 }), { now: 2_000 }],
    ],
    ['pull scan', '-', '-'],
  ],
  [
    'one whose predecessor is only heard late is not told, and speaks after its silence',
    [
      [PEER, status(5)],
      [OLDER, status(7)],
      [PEER, status(5), { now: 400 }],
      [OLDER, status(7), { now: 2_000 }],
      [OLDER, status(7), { now: SILENCE + 401 }],
    ],
    ['-', '-', '-', '-', 'pull delta'],
  ],
  [
    'one that leaves is asked for nothing, and asked again once it is back',
    [
      [PEER, { ...status(7), leaving: true }],
      [LATER, status(7)],
    ],
    ['-', 'pull delta'],
  ],
  [
    'one that is alone speaks, however often it was started',
    [
      [PEER, status(5)],
      [OLDER, status(7), { now: SILENCE + 1 }],
    ],
    ['-', 'pull delta'],
  ],
  [
    'a store that was accepted is not measured by the one before',
    [
      [PEER, status(5)],
      [OTHER, status(1, OTHER), { pin: 'cc', position: undefined }],
    ],
    ['-', 'pull scan'],
  ],
  [
    'a raised term comes after all that was before',
    [
      [PEER, status(5)],
      [{ ...OLDER, term: 2 }, status(1, { ...OLDER, term: 2 })],
    ],
    ['-', 'pull scan'],
  ],
  [
    'nobody vouches for the cursor of another store',
    [
      [PEER, status(7, OTHER)],
      [PEER, { kind: 'push', from: { digest: '5', count: 5 }, end: at(7, OTHER) }],
    ],
    ['-', '-'],
  ],
  [
    'another list of refusals is asked for',
    [
      [PEER, status(5, PEER, 'd1')],
      [PEER, status(5, PEER, 'd1')],
    ],
    ['pull refusals', '-'],
  ],
  [
    'the end of the list is recorded',
    [
      [PEER, status(5, PEER, 'd1')],
      [PEER, { kind: 'page', id: '10f', revision: 1 }],
    ],
    ['pull refusals', 'refusals'],
  ],
  ['an empty list is recorded at once', [[PEER, status(5), { recordedRefusals: 'd1' }]], ['refusals']],
  ['a notice for another process is not heard', [[PEER, { kind: 'notice', code: 'superseded', message: '', instance: 'ff' }]], ['-']],
  ['a notice for this one is', [[PEER, { kind: 'notice', code: 'superseded', message: '', instance: '1a' }]], ['stopped']],
];

test('transcripts', async (t) => {
  for (const [title, says, out] of TABLE) await t.test(title, () => assert.deepEqual(hear(says).out, out));
});

test('a halted peer is shown as such until it has a head again', () => {
  const notice: Body = { kind: 'notice', code: 'diverged', message: 'restored' };
  const codes = [[notice], [notice, status()], [notice, PULL], [notice, status(5)]].map(
    (bodies) => hear(bodies.map((body) => [PEER, body] as const)).state.stopped?.code,
  );
  assert.deepEqual(codes, ['diverged', 'diverged', 'diverged', undefined]);
});

test('who asks a halted peer for nothing sees by its status that it is', () => {
  const { state, out } = hear([status(5), status(), status()].map((body) => [PEER, body] as const));
  assert.equal(state.stopped?.code, 'diverged');
  assert.deepEqual(out, ['-', 'stopped', '-']);
});

test('the notices of others do not keep a process alive', () => {
  const notice: Body = { kind: 'notice', code: 'diverged', message: '' };
  const { state } = hear([
    [PEER, status(5)],
    [OLDER, notice, { now: 500 }],
  ]);
  assert.equal(state.heardAt, 0);
});

test('a peer has left by its own last word alone', () => {
  const goodbye: Body = { ...status(5), leaving: true };
  const left = (...says: readonly Say[]) => hear([[PEER, status(5)], ...says]).state.left;
  assert.equal(left([PEER, goodbye]), true);
  assert.equal(left([PEER, goodbye], [PEER, status(5)]), undefined, 'it speaks again');
  assert.equal(left([PEER, goodbye], [LATER, status(5)]), undefined, 'it was started again');
  assert.equal(left([LATER, status(5)], [PEER, goodbye]), undefined, 'an earlier process of it is being stopped');
  assert.equal(left([OTHER, goodbye]), undefined, 'another store speaks for it');
});

test('a lost connection makes all void that was asked and believed', () => {
  const { state } = hear([[PEER, { ...status(7, PEER, 'd1'), ack: { refusals: 'd1', position: { ...at(1, SELF) } } }]]);
  assert.ok(state.receiving.asking && state.listing && state.sending.base);
  const lost = step(state, { on: 'lost' }, {} as Context);
  assert.deepEqual(lost.effects, [{ do: 'unstage' }]);
  assert.deepEqual([lost.state.receiving.asking, lost.state.listing, lost.state.sending.base], [undefined, undefined, undefined]);
});

test('another store stops the exchange only while the pinned one is silent', () => {
  const other = (now: number): Say => [OTHER, status(9, OTHER), { now }];
  const both = hear([[PEER, status(5)], other(1_000), [PEER, status(5), { now: 2_000 }], other(3_000)]).state;
  assert.deepEqual([both.stopped, both.stranger?.store, both.stranger?.at], [undefined, 'cc', 3_000]);
  const alone = hear([[PEER, status(5)], other(SILENCE + 1)]).state;
  assert.deepEqual([alone.stopped?.code, alone.stopped?.store, alone.stranger], ['store-changed', 'cc', undefined]);
  const unheard = hear([other(0)]).state;
  assert.equal(unheard.stopped?.store, 'cc');
});
