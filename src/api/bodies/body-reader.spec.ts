import assert from 'node:assert/strict';
import type { Worker } from 'node:worker_threads';
import { after, describe, it } from 'node:test';
import { until } from '../../../test/harness/until.ts';
import { MeridianError } from '../../errors.ts';
import { GLOBAL } from '../../resource/resource.ts';
import { BodyReader } from './body-reader.ts';
import { startBodyThread } from './body-thread.ts';

/** A reader with the real thread, and all threads that it started. */
function newReader(times = { most: 60_000, idle: 60_000 }) {
  const state = { started: 0, ended: 0 };
  const start = (): Worker => {
    state.started += 1;
    return startBodyThread(GLOBAL).on('exit', () => void (state.ended += 1));
  };
  const reader = new BodyReader(start, times);
  after(() => reader.close());
  return { reader, state };
}

function order(text: string | Uint8Array, isJson: boolean) {
  const gone = new AbortController();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const charged: number[] = [];
  return { bytes, isJson, gone: gone.signal, leave: () => gone.abort(), charge: (took: number) => void charged.push(took), charged };
}

const timeout = (index: number) => ({
  type: 'MeshTimeout',
  mesh: 'default',
  name: `t${index}`,
  spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout: '1s' } }] },
});
const many = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => timeout(index)));
/** Takes a second and more, whatever the machine. */
const slow = () => order('a: }\n---\n'.repeat(90_000), false);
const refusedWith = (code: string, message: RegExp) => (thrown: unknown) =>
  thrown instanceof MeridianError && thrown.code === code && message.test(thrown.message);

describe('the thread that reads large bodies', () => {
  it('reads documents in batches, validated, and is charged for each', async () => {
    const { reader, state } = newReader();
    const asked = order(many(2_000), true);
    const documents = await reader.documents(asked);
    assert.equal(documents.length, 2_000);
    assert.deepEqual(documents[7], { draft: { ...timeout(7), labels: {} }, problems: [], validated: true });
    assert.ok(asked.charged.length > 4, `${asked.charged.length} batches`);
    assert.equal(state.started, 1);
  });

  it('says what is wrong as the loop does', async () => {
    const { reader } = newReader();
    const [document] = await reader.documents(order('type: MeshTimeout\nmesh: default\nname: t\nspec: {a: 1, b: .inf}\n', false));
    assert.ok(document?.problems.some(({ reason }) => reason === 'must be a finite number'));
    await assert.rejects(reader.documents(order('{', true)), refusedWith('invalid', /is not JSON/));
    await assert.rejects(reader.documents(order(Buffer.from([0xff]), true)), refusedWith('invalid', /not UTF-8/));
    await assert.rejects(reader.values(order(`{"a": [${'1,'.repeat(300_000)}1]}`, true)), refusedWith('invalid', /250000 parts/));
  });

  it('gives values as they are written', async () => {
    const { reader } = newReader();
    const [value, problem] = await reader.values(order('a: .inf\n---\nb: 010', false));
    assert.deepEqual(value, { value: { a: Number.POSITIVE_INFINITY } });
    assert.match(problem && 'problem' in problem ? problem.problem.reason : '', /^line 3, column 4: 010 is not the same/);
  });

  it('one after the other, in one thread, which ends when it is idle', async () => {
    const { reader, state } = newReader({ most: 60_000, idle: 1 });
    const all = await Promise.all([many(1), many(2), many(3)].map((text) => reader.documents(order(text, true))));
    assert.deepEqual([all.map(({ length }) => length), state.started], [[1, 2, 3], 1]);
    await until('the thread ended', async () => state.ended === 1 || undefined);
    assert.equal((await reader.documents(order(many(1), true))).length, 1);
    assert.equal(state.started, 2);
  });

  it('ends with a body that takes too long; the next one gets another', async () => {
    const { reader, state } = newReader({ most: 1, idle: 60_000 });
    const asked = slow();
    await assert.rejects(reader.documents(asked), refusedWith('too_large', /too much time/));
    assert.equal(asked.charged.length, 1);
    assert.equal(state.started, 1);
  });

  it('ends with a client that goes away; who waits behind it is answered', async () => {
    const { reader, state } = newReader();
    const [first, second, third] = [slow(), slow(), order(many(3), true)];
    const reading = [first, second, third].map((one) => reader.documents(one));
    second.leave();
    first.leave();
    await assert.rejects(reading[0] ?? Promise.resolve(), /the client is gone/);
    await assert.rejects(reading[1] ?? Promise.resolve(), /the client is gone/);
    assert.equal((await reading[2])?.length, 3);
    assert.equal(state.started, 2);
    assert.deepEqual([first.charged.length, second.charged.length], [1, 0]);
  });

  it('what would take all memory ends the thread, and not the process', async () => {
    const { reader } = newReader();
    const small = new BodyReader(() => startBodyThread(GLOBAL, 8), { most: 60_000, idle: 60_000 });
    after(() => small.close());
    await assert.rejects(small.documents(order(many(80_000), true)), refusedWith('too_large', /too much memory/));
    assert.equal((await reader.documents(order(many(1), true))).length, 1);
  });
});
