import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type TypeContent, openSession as open, shown } from '../../../test/harness/xds-session.ts';
import { TYPE_URLS } from '../wire/resource-types.ts';
import type { DeltaResponse } from '../wire/delta-messages.ts';

const EXTENSIONS = TYPE_URLS.extensions;

/** Plays events on the extension configs of one proxy; after each, what is sent. */
const TRANSCRIPTS: Record<string, readonly (readonly [event: string, sent: string | undefined])[]> = {
  'sends what is asked for by name, and only what differs': [
    ['there a=1 b=1 c=1', undefined],
    ['ask a b', '+a=1 +b=1'],
    ['accept', undefined],
    ['there a=1 b=2 c=2', '+b=2'],
    ['accept', undefined],
    ['there a=1 b=2 c=3', undefined],
  ],
  'says what is not there, and sends it when it comes': [
    ['there b=1', undefined],
    ['ask a b', '+b=1 -a'],
    ['accept', undefined],
    ['there a=1 b=1', '+a=1'],
    ['accept', undefined],
    ['there b=1', '-a'],
  ],
  'sends again what is asked for again': [
    ['there a=1', undefined],
    ['ask a', '+a=1'],
    ['accept', undefined],
    ['ask a', '+a=1'],
  ],
  'sends no more of what is not wanted any more': [
    ['there a=1 b=1', undefined],
    ['ask a b', '+a=1 +b=1'],
    ['accept', undefined],
    ['unask a', undefined],
    ['there a=2 b=2', '+b=2'],
    ['accept', undefined],
    ['there', '-b'],
  ],
  'waits for the answer, and then sends the last state': [
    ['there a=1', undefined],
    ['ask a b', '+a=1 -b'],
    ['there a=2 b=2', undefined],
    ['there a=3 b=3', undefined],
    ['accept', '+a=3 +b=3'],
  ],
  'sends each alone when several are refused, and goes back to the refused one after a pause': [
    ['there a=1 b=1', undefined],
    ['ask a b', '+a=1 +b=1'],
    ['refuse', '+a=1'],
    ['refuse', '+b=1'],
    ['accept', undefined],
    ['pass 999', undefined],
    ['pass 1', '+a=1'],
    ['refuse', undefined],
    ['pass 1999', undefined],
    ['pass 1', '+a=1'],
    ['accept', undefined],
    ['pass 100000', undefined],
  ],
  'sends another version of a refused one at once': [
    ['there a=1', undefined],
    ['ask a', '+a=1'],
    ['refuse', undefined],
    ['there a=2', '+a=2'],
    ['accept', undefined],
  ],
  'sends the good version again, which the proxy may have lost': [
    ['there a=1', undefined],
    ['ask a', '+a=1'],
    ['accept', undefined],
    ['there a=2', '+a=2'],
    ['refuse', undefined],
    ['there a=1', '+a=1'],
  ],
  'does not mind answers to older responses': [
    ['there a=1', undefined],
    ['ask a', '+a=1'],
    ['accept 7', undefined],
    ['there a=2', undefined],
    ['accept', '+a=2'],
  ],
};

describe('the extension configs of a proxy', () => {
  for (const [name, steps] of Object.entries(TRANSCRIPTS)) it(name, () => play(steps));
});

function play(steps: readonly (readonly [string, string | undefined])[]): void {
  const { give, ask, answer, pass, next } = open();
  let last: DeltaResponse | undefined;
  for (const [event, sent] of steps) {
    const [what, ...rest] = event.split(' ');
    if (what === 'there') give({ extensions: Object.fromEntries(rest.map((pair) => pair.split('='))) as TypeContent });
    else if (what === 'ask') ask(EXTENSIONS, { subscribe: rest });
    else if (what === 'unask') ask(EXTENSIONS, { unsubscribe: rest });
    else if (what === 'pass') pass(Number(rest[0]));
    else if (last) answer({ ...last, nonce: rest[0] ?? last.nonce }, what === 'refuse' ? 'no' : undefined);
    const response = next();
    assert.equal(shown(response), sent, event);
    last = response ?? last;
  }
}

describe('a new stream', () => {
  it('is answered though the proxy has everything, and sends what changed meanwhile', () => {
    for (const [there, sent] of [
      [{ a: '1', b: '1' }, ''],
      [{ a: '2' }, '+a=2 -b'],
    ] as const) {
      const { give, ask, next } = open();
      give({ listeners: there });
      ask(TYPE_URLS.listeners, { initialVersions: { a: '1', b: '1' } });
      assert.equal(shown(next()), sent);
    }
  });

  it('sends nothing, and takes nothing away, before it is known what there is', () => {
    const { ask, next, give } = open();
    ask(TYPE_URLS.listeners, { initialVersions: { a: '1' } });
    assert.equal(next(), undefined);
    give({});
    assert.equal(shown(next()), '-a');
  });

  it('answers types that there are not, up to a number', () => {
    const { ask, next, give } = open();
    give({});
    ask('x', { subscribe: ['a'] });
    assert.equal(shown(next()), '-a');
    assert.throws(() => Array.from({ length: 20 }, (_, i) => ask(`x${i}`)), /types are asked for/);
    assert.throws(() => ask('x', { subscribe: Array.from({ length: 10_001 }, (_, i) => `${i}`) }), /names of one type are asked for/);
  });
});

describe('the order of types', () => {
  /** A session that asked for everything, was sent `there`, and accepted it. */
  function settled(there: Parameters<ReturnType<typeof open>['give']>[0]) {
    const opened = open();
    for (const kind of ['clusters', 'listeners'] as const) opened.ask(TYPE_URLS[kind]);
    for (const kind of ['secrets', 'extensions', 'routes'] as const) opened.ask(TYPE_URLS[kind], { subscribe: ['a', 'b'] });
    opened.give(there);
    for (let response = opened.next(); response; response = opened.next()) opened.answer(response);
    return opened;
  }
  const one = { clusters: { a: '1' }, extensions: { a: '1' }, listeners: { a: '1' } };
  const two = { clusters: { a: '1', b: '1' }, extensions: { a: '1', b: '1' }, listeners: { a: '1', b: '1' } };
  const sendsOf = (response: DeltaResponse | undefined) => response && `${response.typeUrl.split('.').at(-1)} ${shown(response)}`;

  it('is clusters, their answer, then listeners', () => {
    const { give, next, answer } = settled(one);
    give(two);
    const clusters = next();
    assert.equal(sendsOf(clusters), 'Cluster +b=1');
    assert.equal(sendsOf(next()), 'TypedExtensionConfig +b=1');
    assert.equal(next(), undefined);
    if (clusters) answer(clusters);
    assert.equal(sendsOf(next()), 'Listener +b=1');
  });

  it('is listeners, their answer, then the rest, for what goes', () => {
    const { give, next, answer } = settled(two);
    give(one);
    const listeners = next();
    assert.equal(sendsOf(listeners), 'Listener -b');
    assert.equal(next(), undefined);
    if (listeners) answer(listeners);
    assert.deepEqual([sendsOf(next()), sendsOf(next())], ['Cluster -b', 'TypedExtensionConfig -b']);
  });

  it('keeps what the old listener uses as long as the new one is refused', () => {
    const { give, next, answer, pass } = settled({ clusters: { a: '1' }, listeners: { x: '1' } });
    give({ clusters: { b: '1' }, listeners: { x: '2' } });
    for (let response = next(); response; response = next()) {
      assert.deepEqual(response.removed, []);
      answer(response, response.typeUrl === TYPE_URLS.listeners ? 'no' : undefined);
    }
    pass(1_000);
    const again = next();
    assert.equal(sendsOf(again), 'Listener +x=2');
    if (again) answer(again);
    assert.equal(sendsOf(next()), 'Cluster -a');
  });
});

describe('a refusal', () => {
  it('is seen, with the proxy’s words and since when', () => {
    const { give, ask, next, answer, pass, session } = open();
    give({ extensions: { a: '1' } });
    ask(EXTENSIONS, { subscribe: ['a'] });
    const refuse = () => {
      const response = next();
      if (response) answer(response, 'no such thing');
    };
    refuse();
    const refusal = { name: 'a', version: '1', message: 'no such thing', since: 'at 0', attempts: 1 };
    assert.deepEqual(session.view(), [
      { typeUrl: EXTENSIONS, accepted: 0, waiting: false, refused: [refusal], responses: { sent: 1, accepted: 0, refused: 1 } },
    ]);
    assert.equal(session.wakeAt(), 1_000);
    pass(1_000);
    assert.equal(session.wakeAt(), undefined);
    refuse();
    assert.deepEqual(session.view()[0]?.refused, [{ ...refusal, attempts: 2 }]);
    pass(10_000_000);
    for (let i = 0; i < 20; i++) {
      refuse();
      pass(60_000);
    }
    assert.equal(session.view()[0]?.refused[0]?.attempts, 22);
  });
});

it('gives a proxy what there is in the end, whatever is changed, refused and lost on the way', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const content = fc.dictionary(names, fc.constantFrom('1', '2', '3'));
  const event = fc.oneof(
    content.map((there) => ({ there })),
    fc.boolean().map((accept) => ({ accept })),
    fc.constant({ reconnect: true }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), content, (events, end) => {
      const proxy = new ProxyModel();
      for (const one of events) {
        if ('there' in one) proxy.there(one.there);
        else if ('accept' in one) proxy.step(one.accept);
        else proxy.reconnect();
      }
      proxy.there(end);
      for (let i = 0; i < 50; i++) proxy.step(true);
      assert.deepEqual(proxy.listeners, new Map(Object.entries(end)));
    }),
  );
});

/**
 * A proxy that takes a response whole, or refuses it, and then has taken the first part of it all the same, as Envoy
 * does.
 */
class ProxyModel {
  listeners = new Map<string, string>();
  private opened = open();
  private last: TypeContent = {};

  constructor() {
    this.reconnect();
  }

  there(content: TypeContent): void {
    this.last = content;
    this.opened.give({ listeners: content });
  }

  reconnect(): void {
    this.opened = open();
    this.opened.ask(TYPE_URLS.listeners, { initialVersions: Object.fromEntries(this.listeners) });
    this.there(this.last);
  }

  step(accept: boolean): void {
    this.opened.pass(60_000);
    const response = this.opened.next();
    if (!response) return;
    const taken = response.resources.slice(0, accept ? undefined : response.resources.length - 1);
    for (const { name, version } of taken) this.listeners.set(name, version);
    if (accept) for (const name of response.removed) this.listeners.delete(name);
    this.opened.answer(response, accept ? undefined : 'no');
  }
}
