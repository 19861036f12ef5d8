import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { InboundRules, ProxyRules } from '../control/enforce/proxy-rules.ts';
import type { ProxyView } from '../xds/server/connected-proxies.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import { ServedSnapshots } from './served-snapshots.ts';

const PROXY: ProxyId = { mesh: 'default', name: 'backend.shop' };
const VIEW: ProxyView = { proxy: PROXY, streams: [], problem: undefined, refused: undefined };
const RBAC = { '@type': 'type.googleapis.com/envoy.extensions.filters.network.rbac.v3.RBAC', rules: { action: 'ALLOW', policies: {} } };

const inbound = (name: string, port: number): InboundRules => ({
  name,
  address: '127.0.0.1',
  port,
  serviceAddress: undefined,
  servicePort: 80,
  protocol: 'tcp',
  rbac: RBAC,
  plaintextToo: false,
  routes: [],
});
const rules = (inbounds: readonly InboundRules[], more: Partial<ProxyRules> = {}): ProxyRules => ({
  inbounds,
  problems: [],
  warnings: [],
  ...more,
});

let [now, reported]: [ProxyRules | undefined, string[]] = [undefined, []];
let served: ServedSnapshots;
beforeEach(() => {
  [now, reported] = [undefined, []];
  served = new ServedSnapshots(
    { rulesOf: () => now },
    '/certs',
    () => ({ node: '', proof: '', home: '' }),
    (level, event, details) => reported.push(`${level} ${event} ${String(details.node)}`),
  );
});

test('a snapshot has the listener of each inbound, and where the proxy finds its certificates', () => {
  now = rules([inbound('web', 8080), inbound('db', 5432)]);
  const snapshot = served.snapshotOf(PROXY);
  assert.equal(snapshot?.listeners.length, 2);
  assert.match(JSON.stringify(snapshot.secrets), /"\/certs\/default\/backend\.shop\/key\.pem"/);
});

test('a proxy without a Dataplane has no snapshot, and nothing is said of it', () => {
  assert.equal(served.snapshotOf(PROXY), undefined);
  assert.deepEqual(served.statusOf(VIEW), { ...PROXY, streams: [], notServed: [], shut: [], warnings: [] });
});

test('what can not be served is reported once for the same rules, and shown', () => {
  now = rules([inbound('web', 8080), inbound('db', 8080)], { problems: ['one can not be read'], warnings: ['plain text'] });
  served.snapshotOf(PROXY);
  served.snapshotOf(PROXY);
  const { notServed, shut, warnings } = served.statusOf(VIEW);
  assert.equal(notServed.length, 3, 'what could not be read, and both inbounds of one socket');
  assert.deepEqual([shut.map((one) => one.inbound), warnings], [['web', 'db'], ['plain text']]);
  assert.deepEqual(
    reported,
    [...notServed, ...warnings].map((text) => `warn ${text} ${nodeId(PROXY)}`),
  );
  now = { ...now };
  served.snapshotOf(PROXY);
  assert.equal(reported.length, 8, 'rules that are others are reported again');
});

test('an inbound that control has shut is a problem of its own words, not named twice', () => {
  now = rules([{ ...inbound('web', 8080), shut: 'no rules fit' }], { problems: ['web is shut'] });
  served.snapshotOf(PROXY);
  assert.deepEqual(served.statusOf(VIEW).notServed, ['web is shut']);
  assert.deepEqual(served.statusOf(VIEW).shut, [{ inbound: 'web', reason: 'no rules fit' }]);
});

test('what was served to a proxy that the server forgot is forgotten', () => {
  now = rules([], { warnings: ['plain text'] });
  served.snapshotOf(PROXY);
  served.keepOnly([VIEW]);
  assert.deepEqual(served.statusOf(VIEW).warnings, ['plain text']);
  served.keepOnly([]);
  assert.deepEqual(served.statusOf(VIEW).warnings, []);
});
