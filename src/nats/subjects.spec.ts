import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GLOBAL_PEER } from '../resource/audience.ts';
import { LANES } from '../kds/access/zone-lanes.ts';
import { laneOf, laneSubject, lanesToHear, senderOf, subjectsToHear, subjectTo } from './subjects.ts';

const zone = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);

test('what a zone sends, global hears as that zone', () => {
  fc.assert(fc.property(zone, (name) => assert.equal(senderOf('', subjectTo(name, GLOBAL_PEER) ?? ''), name)));
});

test('what global sends to a zone, that zone hears as global, and no other hears it', () => {
  fc.assert(
    fc.property(zone, zone, (name, other) => {
      const subject = subjectTo('', name) ?? '';
      assert.deepEqual(subjectsToHear(name), [subject]);
      assert.equal(senderOf(name, subject), GLOBAL_PEER);
      if (other !== name) assert.equal(senderOf(other, subject), undefined);
    }),
  );
});

test('the processes of global hear each other', () => {
  const subject = subjectTo('', GLOBAL_PEER) ?? '';
  assert.ok(subjectsToHear('').includes(subject));
  assert.equal(senderOf('', subject), GLOBAL_PEER);
});

test('a subject that proves no zone has no sender', () => {
  const subjects = [
    'meridian.v1.zone.East.up',
    'meridian.v1.zone.GLOBAL.up',
    'meridian.v1.zone.-east.up',
    'meridian.v1.zone..up',
    `meridian.v1.zone.${'e'.repeat(64)}.up`,
    'meridian.v1.zone.east.up.more',
    'meridian.v1.zone.east.down',
    'meridian.v2.zone.east.up',
    'east',
    '',
  ];
  for (const subject of subjects) assert.equal(senderOf('', subject), undefined, subject);
});

test('nothing is sent to a peer that is none', () => {
  for (const peer of ['East', 'a.b', '*', '>', '', 'a b']) assert.equal(subjectTo('', peer), undefined, peer);
  assert.equal(subjectTo('east', 'west'), undefined);
});

test('what a zone says to another one, that one hears as it, and nobody else hears it', () => {
  fc.assert(
    fc.property(zone, zone, zone, fc.constantFrom(...LANES), (from, to, other, lane) => {
      const subject = laneSubject(from, lane, to);
      assert.deepEqual(laneOf(to, subject), from === to ? undefined : { lane, from });
      if (other !== to) assert.equal(laneOf(other, subject), undefined);
      for (const place of ['', from, to]) assert.equal(senderOf(place, subject), undefined);
      assert.ok(lanesToHear(to).includes(laneSubject('*', lane, to)));
    }),
  );
  assert.deepEqual(lanesToHear(''), []);
});

test('what is no lane is heard from nobody', () => {
  const subjects = [
    'meridian.v1.zone.East.ask.west',
    'meridian.v1.zone.*.ask.west',
    'meridian.v1.zone..ask.west',
    'meridian.v1.zone.east.tell.west',
    'meridian.v1.zone.east.ask.west.more',
    'meridian.v1.zone.east.ask',
    'meridian.v2.zone.east.ask.west',
    'meridian.v1.zone.west.down',
    '',
  ];
  for (const subject of subjects) assert.equal(laneOf('west', subject), undefined, subject);
});
