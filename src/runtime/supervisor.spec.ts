import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Supervisor } from './supervisor.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function begin(grace = 60_000) {
  const process = new FakeProcess();
  const events: string[] = [];
  const told: string[] = [];
  const report = (level: string, event: string) => events.push(`${level} ${event}`);
  const supervisor = new Supervisor({ report, tell: (reason) => told.push(reason), grace, process });
  return { process, events, told, supervisor };
}

/** Lets everything that is due run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

for (const signal of ['SIGTERM', 'SIGINT']) {
  test(`${signal} stops everything in reverse, each after the other, and ends with 0`, async () => {
    const { process, supervisor } = begin();
    const order: string[] = [];
    for (const name of ['store', 'sync', 'api']) {
      supervisor.onStop(name, async () => {
        order.push(`${name} stops`);
        await settled();
        order.push(`${name} stopped`);
      });
    }
    process.emit(signal);
    while (process.exits.length === 0) await settled();
    assert.deepEqual(order, ['api stops', 'api stopped', 'sync stops', 'sync stopped', 'store stops', 'store stopped']);
    assert.deepEqual(process.exits, [0]);
  });
}

test('a second signal ends it at once', async () => {
  const { process, supervisor } = begin();
  let release = (): void => {};
  supervisor.onStop('stuck', () => new Promise((resolve) => (release = resolve)));
  process.emit('SIGTERM');
  await settled();
  assert.deepEqual(process.exits, []);
  process.emit('SIGINT');
  assert.deepEqual(process.exits, [130]);
  release();
});

test('a stop that takes longer than the grace ends with 1', async () => {
  const { process, events, supervisor } = begin(1);
  let release = (): void => {};
  supervisor.onStop('stuck', () => new Promise((resolve) => (release = resolve)));
  process.emit('SIGTERM');
  while (process.exits.length === 0) await settled();
  assert.deepEqual(process.exits, [1]);
  assert.ok(events.includes('error the stop took too long'));
  release();
});

test('a part that can not be stopped does not keep the others from it, and is no clean end', async () => {
  const { process, events, supervisor } = begin();
  let stopped = false;
  supervisor.onStop('first', () => {
    stopped = true;
  });
  supervisor.onStop('second', () => {
    throw new Error('no');
  });
  process.emit('SIGTERM');
  while (process.exits.length === 0) await settled();
  assert.deepEqual([stopped, process.exits], [true, [1]]);
  assert.ok(events.includes('error a part can not be stopped'));
});

for (const event of ['uncaughtException', 'unhandledRejection']) {
  test(`${event} is told and ends with 1`, () => {
    const { process, events, told } = begin();
    process.emit(event, new Error('a bug'));
    assert.match(told.join(), /^Error: a bug\n/);
    assert.deepEqual([events, process.exits], [[`error ${event}`], [1]]);
  });
}
