import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { carry, newPlane, WEST } from '../../../test/harness/control-planes.ts';
import { writeDrafts } from '../../../test/harness/write-drafts.ts';
import { zoneAccessOf } from '../../../test/harness/zone-access.ts';
import { CALLER, draft, having, ledgerOf, policy, SERVICE, zoneScene as scene, type ZoneScene } from '../../../test/harness/zone-scene.ts';
import { ASK_TIMEOUT, encodeAsk, encodeReply, MAX_ASK_BYTES } from '../../kds/access/access-messages.ts';
import { MOST_TOKENS, TOKEN_LIFE } from './issued-tokens.ts';

/** What west says to a question of east's with something changed. */
async function asked(
  { network }: ZoneScene,
  change: { from?: string; identity?: string; attributes?: Record<string, string>; service?: object; text?: string },
) {
  const { from = 'east', identity = CALLER, attributes = { 'k8s:ns': 'shop' }, service = SERVICE, text } = change;
  const before = network.said.length;
  const ask = encodeAsk({ id: 'a1', mesh: 'default', service: service as typeof SERVICE, caller: { identity, attributes } });
  network.deliver({ lane: 'ask', from, to: 'west', text: text ?? ask });
  return network.said
    .slice(before)
    .map(({ lane, from: by, to, text: reply }) => ({ lane, by, to, ...(JSON.parse(reply) as { why?: string; token?: string }) }));
}

describe('a call from zone to zone', () => {
  it('is let in by both, with a token for one use', async () => {
    const here = scene();
    const { why, site, there } = await here.connect();
    assert.deepEqual([why, site, there?.allowed], ['allowed', 'north', true]);
    const token = there?.allowed ? there.token : '';
    assert.deepEqual(here.zones.west.exchange.consume(token, CALLER, ledgerOf('west')), { use: 'unknown' });
    assert.deepEqual(here.zones.north.exchange.consume(token, CALLER, ledgerOf('north')), { use: 'consumed', zone: 'east' });
    assert.deepEqual(here.zones.north.exchange.consume(token, CALLER, ledgerOf('north')), { use: 'unknown' });
    assert.ok(!JSON.stringify(here.log).includes(token));
  });

  it('tells the other zone of the workload, and of no site', async () => {
    const here = scene();
    await here.connect();
    assert.equal(here.network.said.length, 2);
    const { caller } = JSON.parse(here.network.said[0]?.text ?? '') as { caller: object };
    assert.deepEqual(caller, { identity: CALLER, attributes: { 'k8s:ns': 'shop', 'k8s:pod': 'orders-1', 'k8s:label:app': 'orders' } });
  });

  it('is denied here without a question', async () => {
    const here = scene();
    writeDrafts(here.planes.east, [policy('none', 'deny')]);
    const { why, site } = await here.connect();
    assert.deepEqual([why, site, here.network.said], ['denied-here', undefined, []]);
  });

  it('is denied there, with the policy', async () => {
    const here = scene();
    for (const plane of [here.planes.west, here.planes.north])
      writeDrafts(plane, [policy('none', 'deny', having({ 'site:location': 'eu' }))]);
    const { why, there } = await here.connect();
    assert.deepEqual([why, there?.allowed, there?.decidedBy], ['denied-there', false, 'kri_ap_default_north_pay_none_']);
    assert.equal(here.count('north', 'server', 'policy'), 1);
  });

  it('goes by what the other zone knows of the site at that moment, and by global’s policies there', async () => {
    const here = scene();
    for (const plane of [here.planes.west, here.planes.north])
      writeDrafts(plane, [policy('not-asia', 'deny', having({ 'site:location': 'asia' }))]);
    assert.equal((await here.connect()).why, 'allowed');
    writeDrafts(here.global, [draft('Zone', 'east', { attributes: { location: 'asia/tokyo' } })]);
    carry(here.global, here.planes.north, 'delta');
    assert.equal((await here.connect()).why, 'denied-there');
    writeDrafts(here.global, [
      draft('Zone', 'east', { attributes: { location: 'eu' } }),
      policy('veto', 'deny', having({ 'site:name': 'east' }), 'PrivilegedAccessPolicy'),
    ]);
    carry(here.global, here.planes.north, 'delta');
    assert.equal((await here.connect()).there?.decidedBy, 'kri_pap_default___veto_');
  });

  it('needs neither global nor NATS for a service of its own zone', async () => {
    const here = scene();
    writeDrafts(here.planes.east, [draft('MeshService', 'ledger', { ports: [{ port: 80 }] }, 'pay')]);
    here.network.down = 'NATS is away';
    const { why, site, there } = await here.connect();
    assert.deepEqual([why, site, here.network.said], ['allowed', 'east', []]);
    assert.equal(here.zones.east.exchange.consume(there?.allowed ? there.token : '', CALLER, ledgerOf('east')).use, 'consumed');
  });
});

/** The sites that are asked, one after the other, say nothing. */
async function silence({ clock }: ZoneScene): Promise<void> {
  clock.advance(ASK_TIMEOUT);
  await setImmediate();
  clock.advance(ASK_TIMEOUT);
}

describe('a call that gets no answer', () => {
  it('goes to another site when the time is over, as those after it; the first is asked again later', async () => {
    const here = scene();
    here.network.passes = ({ to }) => to !== 'north';
    const first = here.connect();
    here.clock.advance(ASK_TIMEOUT);
    assert.deepEqual([(await first).why, (await first).site], ['allowed', 'west']);
    assert.deepEqual([(await here.connect()).site, here.network.said.filter(({ to }) => to === 'north').length], ['west', 1]);
    here.network.passes = () => true;
    here.clock.advance(2_000);
    assert.equal((await here.connect()).site, 'north');
  });

  it('is denied where the other site says nothing either, and where there is no other', async () => {
    const here = scene();
    here.network.passes = () => false;
    const waiting = here.connect();
    await silence(here);
    assert.deepEqual([(await waiting).why, (await waiting).site, here.count('east', 'client', 'no-answer')], ['no-answer', 'west', 1]);
    here.clock.advance(2_000);
    writeDrafts(here.global, [draft('Zone', 'west', { enabled: false, attributes: { location: 'us' } })]);
    carry(here.global, here.planes.east, 'delta');
    const alone = here.connect();
    here.clock.advance(ASK_TIMEOUT);
    assert.deepEqual([(await alone).why, (await alone).site, here.network.said.length], ['no-answer', 'north', 3]);
  });

  it('is denied at once where nobody is reached, and by nobody', async () => {
    const here = scene();
    here.network.down = 'NATS is away: refused';
    const { why, reason, site } = await here.connect();
    assert.deepEqual([why, reason, site], ['away', 'NATS is away: refused', undefined]);
    here.network.down = undefined;
    assert.equal((await here.connect()).why, 'allowed');
  });

  it('is denied where the zone stops', async () => {
    const here = scene();
    here.network.passes = () => false;
    const waiting = here.connect();
    here.zones.east.exchange.stop();
    assert.equal((await waiting).why, 'away');
  });

  it('is one of a bounded number', async () => {
    const here = scene();
    here.network.passes = () => false;
    const waiting = Array.from({ length: 257 }, () => here.connect());
    await silence(here);
    const reasons = (await Promise.all(waiting)).map(({ why }) => why);
    assert.deepEqual([reasons.filter((why) => why === 'no-answer').length, reasons.at(-1)], [256, 'too-many']);
  });

  for (const [what, passes, reason] of [
    ['too late', undefined, 'not-awaited'],
    ['from a zone that was not asked', 'west', 'not-awaited'],
  ] as const) {
    it(`takes none that comes ${what}`, async () => {
      const here = scene();
      here.network.passes = ({ lane }) => lane === 'ask' && false;
      const waiting = here.connect();
      const { id } = JSON.parse(here.network.said[0]?.text ?? '') as { id: string };
      const text = encodeReply({ id, allowed: true, decidedBy: null, reason: 'forged', token: 'A'.repeat(43), expiresIn: 5_000 });
      if (passes) here.network.deliver({ lane: 'answer', from: passes, to: 'east', text });
      await silence(here);
      if (!passes) here.network.deliver({ lane: 'answer', from: 'north', to: 'east', text });
      assert.deepEqual([(await waiting).why, here.count('east', 'client', reason)], ['no-answer', 1]);
    });
  }

  it('takes none that can’t be read', async () => {
    const here = scene();
    here.network.passes = () => false;
    const waiting = here.connect();
    here.network.deliver({ lane: 'answer', from: 'north', to: 'east', text: '{"allowed":true}' });
    await silence(here);
    assert.deepEqual([(await waiting).why, here.count('east', 'client', 'unreadable')], ['no-answer', 1]);
  });
});

describe('a zone that is asked', () => {
  const refused: readonly (readonly [what: string, change: Parameters<typeof asked>[1], why: string])[] = [
    ['with attributes of a site', { attributes: { 'k8s:ns': 'shop', 'site:name': 'west' } }, 'site-attributes'],
    [
      'with attributes of a site, by an alias',
      { attributes: { 'k8s:ns': 'shop', 'peer.clusterlink.net/labels.location': 'us' } },
      'site-attributes',
    ],
    ['with attributes that it does not know', { attributes: { 'k8s:ns': 'shop', colour: 'red' } }, 'unknown-attributes'],
    ['with no attribute at all', { attributes: {} }, 'no-policy'],
    ['for a service that it has not', { service: { name: 'cart', namespace: 'pay' } }, 'unknown-service'],
    ['by a zone that it does not know', { from: 'nowhere' }, 'unknown-zone'],
    ['what it can’t read', { text: '{"id":"a1","v":2}' }, 'unreadable'],
  ];
  for (const [what, change, why] of refused) {
    it(`denies when it is asked ${what}`, async () => {
      const here = scene();
      const [reply, ...more] = await asked(here, change);
      assert.deepEqual([reply?.by, reply?.to, reply?.why, reply?.token, more], ['west', change.from ?? 'east', why, undefined, []]);
      assert.equal(here.count('west', 'server', why), 1);
    });
  }

  it('denies whoever is disabled, and their tokens', async () => {
    const here = scene();
    const [reply] = await asked(here, {});
    assert.ok(reply?.token);
    writeDrafts(here.global, [draft('Zone', 'east', { enabled: false })]);
    carry(here.global, here.planes.west, 'delta');
    assert.equal((await asked(here, {}))[0]?.why, 'disabled-zone');
    assert.equal(here.zones.west.exchange.consume(reply.token, CALLER, ledgerOf('west')).use, 'disabled-zone');
  });

  it('lets in no identity of another zone’s proxies, and any other one that the zone answers for', async () => {
    const here = scene();
    for (const [identity, use] of [
      ['spiffe://default.west.mesh.local/ns/shop/sa/orders', 'other-zone'],
      ['spiffe://default.north.mesh.local/dataplane/orders-1', 'other-zone'],
      ['spiffe://other.east.mesh.local/dataplane/orders-1', 'other-zone'],
      ['spiffe://default.east.mesh.local.evil/x', 'consumed'],
      ['spiffe://example.org/orders', 'consumed'],
    ] as const) {
      const [reply] = await asked(here, { identity });
      assert.equal(here.zones.west.exchange.consume(reply?.token ?? '', identity, ledgerOf('west')).use, use, identity);
    }
    const counts = here.zones.west.exchange.policies.read();
    assert.deepEqual(counts, [{ verdict: 'allow', policy: 'kri_ap_default_west_pay_all_', count: 5 }]);
  });

  it('denies before its first scan', async () => {
    const here = scene();
    const fresh = newPlane(WEST);
    zoneAccessOf(fresh, { lanes: here.network.of('west'), machine: here.clock });
    assert.equal((await asked(here, {}))[0]?.why, 'not-scanned');
  });

  it('says nothing to what is no question, or too large, and counts it', async () => {
    const here = scene();
    for (const text of ['', '{', 'x'.repeat(MAX_ASK_BYTES + 1)]) assert.deepEqual(await asked(here, { text }), []);
    assert.equal(here.count('west', 'server', 'unreadable'), 3);
  });

  it('gives a zone so many tokens, and no more until they are used or over', async () => {
    const here = scene();
    for (let n = 0; n < MOST_TOKENS; n++) await asked(here, {});
    assert.equal((await asked(here, {}))[0]?.why, 'too-many-tokens');
    assert.ok((await asked(here, { from: 'north' }))[0]?.token);
    here.clock.advance(TOKEN_LIFE);
    assert.ok((await asked(here, {}))[0]?.token);
  });

  it('looks at nothing more of a zone that takes more than its share of time', async () => {
    const here = scene();
    // Each question takes so long.
    const slow = zoneAccessOf(here.planes.west, {
      lanes: here.network.of('west'),
      machine: { ...here.clock, now: () => (here.clock.advance(30), here.clock.now()) },
      log: here.log,
    });
    for (let n = 0; n < 100; n++) await asked(here, {});
    const counts = slow.exchange.counts.read();
    assert.ok(
      counts.some(({ reason, count }) => reason === 'over-budget' && count > 0),
      JSON.stringify(here.log.slice(0, 2)),
    );
    assert.ok((await asked(here, { from: 'north' }))[0]?.token);
  });

  it('fills no log', async () => {
    const here = scene();
    for (let n = 0; n < 500; n++) await asked(here, { attributes: { 'site:name': 'west' } });
    assert.ok(here.log.length < 5, String(here.log.length));
  });
});
