import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import type { ProxyStatus } from '../../src/control/enforce/proxy-status.ts';
import { Scope } from '../harness/scope.ts';
import { apiOn, ask, EAST, newApi } from './harness.ts';

const scope = new Scope();
after(() => scope.close());

const SINCE = '2026-01-02T00:00:00.000Z';
const refusal = { name: 'rbac:web', version: 'v', message: 'no such input', since: SINCE, attempts: 2 };
const listeners = {
  typeUrl: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  accepted: 1,
  waiting: false,
  refused: [refusal],
  responses: { sent: 3, accepted: 1, refused: 2 },
};
const proxy = (name: string, more: Partial<ProxyStatus> = {}): ProxyStatus => ({
  mesh: 'default',
  name,
  streams: [{ connected: true, envoyVersion: '1.40.0', since: SINCE, types: [listeners] }],
  notServed: [],
  shut: [],
  warnings: [],
  ...more,
});
const PROXIES = [
  proxy('a.kuma-system'),
  proxy('b.kuma-system', { problem: { reason: 'two inbounds at one place', since: SINCE }, notServed: ['networking.inbound[0]'] }),
];

async function newZone() {
  const asked = apiOn(scope, newApi(scope, EAST).plane, undefined, '127.0.0.1', { proxies: () => PROXIES });
  const networking = { address: '127.0.0.1', inbound: [{ port: 1, tags: { 'kuma.io/service': 'a' } }] };
  for (const name of ['a', 'b', 'c']) await ask(asked, 'POST', '/apply', { type: 'Dataplane', mesh: 'default', name, networking });
  return asked;
}

it('lists proxies, page by page', async () => {
  const asked = await newZone();
  assert.deepEqual((await ask(asked, 'GET', '/_proxies')).body, { total: 2, items: PROXIES, next: null });
  const first = (await ask(asked, 'GET', '/_proxies?size=1')).body;
  assert.deepEqual([first.total, first.items], [2, [PROXIES[0]]]);
  assert.deepEqual((await ask(asked, 'GET', String(first.next))).body.items, [PROXIES[1]]);
});

it('shows the proxy of a Dataplane, and none that was never connected', async () => {
  const asked = await newZone();
  assert.deepEqual((await ask(asked, 'GET', '/meshes/default/dataplanes/b.kuma-system/_proxy')).body, PROXIES[1]);
  for (const path of ['default/dataplanes/c.kuma-system', 'default/dataplanes/d', 'other/dataplanes/a.kuma-system']) {
    assert.equal((await ask(asked, 'GET', `/meshes/${path}/_proxy`)).status, 404, path);
  }
});
