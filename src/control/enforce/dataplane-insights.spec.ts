import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { MeridianError } from '../../errors.ts';
import type { Draft, JsonObject } from '../../resource/resource.ts';
import type { Plane } from '../plane/plane.ts';
import { EAST, newGlobal, newZone } from '../../../test/harness/control-planes.ts';
import { type ConnectedProxy, Insights } from './dataplane-insights.ts';
import { deleteResource, writeDrafts } from '../../../test/harness/write-drafts.ts';

const DATAPLANE: Draft = {
  type: 'Dataplane',
  mesh: 'default',
  name: 'a',
  namespace: 'app',
  labels: {},
  spec: { networking: { address: '127.0.0.1', inbound: [{ port: 80 }] } },
};
const KEY = { mesh: 'default', zone: 'east', namespace: 'app', name: 'a' };
const SINCE = '2026-01-01T00:00:00.000Z';

type RefusedUpdates = ConnectedProxy['streams'][number]['types'][number]['refused'];

function connected(accepted: number, until?: string, refused: RefusedUpdates = []): ConnectedProxy {
  const types = [
    { typeUrl: 'type.googleapis.com/envoy.config.listener.v3.Listener', responses: { sent: accepted + 1, accepted, refused: 1 }, refused },
    {
      typeUrl: 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig',
      responses: { sent: 2, accepted: 2, refused: 0 },
      refused: [],
    },
  ];
  return { proxy: { mesh: 'default', name: 'a.app' }, streams: [{ envoyVersion: '1.40.0', since: SINCE, until, types }] };
}

let zone: Plane;
const insight = (): JsonObject | undefined => zone.store.get({ ...KEY, type: 'DataplaneInsight' })?.resource.spec;
const subscription = (): JsonObject => ((insight()?.subscriptions ?? []) as readonly JsonObject[])[0] ?? {};

beforeEach(() => {
  zone = newZone(EAST, newGlobal(EAST));
  writeDrafts(zone, [DATAPLANE]);
});

it('is written as Kuma writes it', () => {
  new Insights(zone, 'zone-1').record([connected(3)]);
  const { status, ...rest } = subscription();
  assert.deepEqual(rest, {
    id: `zone-1-${SINCE}`,
    controlPlaneInstanceId: 'zone-1',
    connectTime: SINCE,
    version: { envoy: { version: '1.40.0' } },
  });
  const { lastUpdateTime, ...counts } = status as JsonObject;
  assert.match(String(lastUpdateTime), /^20\d\d-/);
  assert.deepEqual(counts, {
    total: { responsesSent: '6', responsesAcknowledged: '5', responsesRejected: '1' },
    lds: { responsesSent: '4', responsesAcknowledged: '3', responsesRejected: '1' },
  });
});

it('has what the Envoy refuses, in its words, as far as it is bounded and can be read', () => {
  const nack = (name: string, message: string) => ({ name, message, since: SINCE, version: '1', attempts: 3 });
  const long = Array.from({ length: 8 }, (_, index) => nack(`in-${index}`, `\u001b[31mcannot bind${' x'.repeat(1_000)}`));
  new Insights(zone, 'zone-1').record([connected(3, undefined, [nack('in-80', 'Address already in use'), ...long])]);
  const refused = subscription().refused as readonly JsonObject[];
  assert.deepEqual(refused[0], { type: 'Listener', name: 'in-80', message: 'Address already in use', since: SINCE });
  assert.equal(refused.length, 5);
  const cut = String(refused[1]?.message);
  assert.equal(cut.length, 500);
  assert.match(cut, /^ \[31mcannot bind x.*…$/);
});

it('is written when something changed, and only then', () => {
  const insights = new Insights(zone, 'zone-1');
  insights.record([connected(3)]);
  const { revision } = zone.store.head();
  insights.record([connected(3)]);
  assert.equal(zone.store.head().revision, revision);
  insights.record([connected(3, '2026-01-01T01:00:00.000Z')]);
  assert.equal(subscription().disconnectTime, '2026-01-01T01:00:00.000Z');
  assert.equal(zone.store.head().revision, revision + 1);
});

it('is none of what has no Dataplane here, nor of a proxy without a stream', () => {
  const insights = new Insights(zone, 'zone-1');
  insights.record([
    { ...connected(1), proxy: { mesh: 'default', name: 'b.app' } },
    { ...connected(1), streams: [] },
  ]);
  assert.equal(insight(), undefined);
});

it('ends with the life of the process that wrote it, and goes with its Dataplane', () => {
  new Insights(zone, 'zone-1').record([connected(3)]);
  const second = new Insights(zone, 'zone-2');
  second.record([]);
  assert.notEqual(subscription().disconnectTime, undefined);
  second.record([connected(0)]);
  assert.equal(subscription().disconnectTime, undefined);
  deleteResource(zone, { ...KEY, type: 'Dataplane' });
  second.record([connected(0)]);
  assert.equal(insight(), undefined);
});

it('of an earlier life goes when its Dataplane went since', () => {
  new Insights(zone, 'zone-1').record([connected(3)]);
  deleteResource(zone, { ...KEY, type: 'Dataplane' });
  new Insights(zone, 'zone-2').record([]);
  assert.equal(insight(), undefined);
});

it('that the store could not take is written the next time, those that are left and gone too', () => {
  new Insights(zone, 'zone-1').record([connected(3)]);
  let full = true;
  const commit: Plane['store']['commit'] = (body) => {
    if (full) throw new MeridianError('unavailable', 'the disk is full');
    return zone.store.commit(body);
  };
  const second = new Insights({ ...zone, store: { ...zone.store, commit } }, 'zone-2');
  const record = (...proxies: readonly ConnectedProxy[]): void => {
    full = true;
    assert.throws(() => second.record(proxies), /the disk is full/);
    full = false;
    second.record(proxies);
  };
  record();
  assert.notEqual(subscription().disconnectTime, undefined);
  record(connected(4));
  assert.equal(subscription().disconnectTime, undefined);
  deleteResource(zone, { ...KEY, type: 'Dataplane' });
  record(connected(4));
  assert.equal(insight(), undefined);
});
