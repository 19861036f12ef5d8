import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newSession, type Session } from '../../kds/session.ts';
import { Sessions } from './sessions.ts';

const HOUR = 3_600_000;
const heard = (peer: string, heardAt: number, more: Partial<Session> = {}): Session => ({ ...newSession(peer), heardAt, ...more });

describe('sessions', () => {
  it('forgets those that were not heard of for long, the oldest first, once there are too many', () => {
    const sessions = new Sessions(2);
    for (const [peer, at] of [
      ['a', 0],
      ['b', 1],
      ['a', 2],
    ] as const)
      sessions.set(peer, heard(peer, at), at);
    assert.deepEqual([...sessions.peers()], ['b', 'a']);
    sessions.set('c', heard('c', HOUR), HOUR);
    assert.deepEqual([...sessions.peers()], ['a', 'c']);
    assert.equal(sessions.get('b').heardAt, Number.NEGATIVE_INFINITY, 'it begins anew');
  });

  it('forgets nobody who was heard of lately', () => {
    const sessions = new Sessions(2);
    for (const peer of ['a', 'b', 'c']) sessions.set(peer, heard(peer, HOUR), HOUR + 1);
    assert.deepEqual([...sessions.peers()], ['a', 'b', 'c']);
  });

  it('forgets nobody of whom a transfer is being applied', () => {
    const sessions = new Sessions(1);
    sessions.set('a', heard('a', 0, { receiving: { ...newSession('a').receiving, applying: true } }), 0);
    sessions.set('b', heard('b', HOUR), HOUR);
    assert.deepEqual([...sessions.peers()], ['a', 'b']);
  });
});
