import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '../../resource/resource.ts';
import { dataplane, resource, type WorldOptions, world } from '../../../test/harness/policies.ts';
import { matchProxy } from './select-policies.ts';

const tags = { 'kuma.io/service': 'backend', app: 'backend' };
const shape: WorldOptions = { tags, labels: { app: 'backend' } };

describe('a `to` policy on a route', () => {
  const own = { kind: 'Dataplane', labels: { app: 'client' } };
  const to = [{ targetRef: { kind: 'MeshService', name: 'backend' }, rules: [{ default: {} }] }];
  const client: WorldOptions = { name: 'client-1', tags: { 'kuma.io/service': 'client' }, labels: { app: 'client' } };
  const applies = (
    targetRef: JsonObject,
    route: JsonObject,
    to: WorldOptions,
    more: { readonly from?: string; readonly spec?: JsonObject } = {},
  ) => {
    const spec = more.spec ?? { to: [{ targetRef: { kind: 'Mesh' }, default: {} }] };
    const policy = resource('MeshTimeout', 't', { targetRef, ...spec }, 'east');
    const others = [
      resource('MeshHTTPRoute', 'r', route, more.from ?? 'east', { l: 'r' }),
      resource('MeshService', 'backend', { selector: { dataplaneTags: { app: 'backend' } } }, 'east'),
    ];
    const { policies, proxy, mesh } = world([policy], dataplane(to), others);
    return matchProxy(policies, proxy, mesh).length > 0;
  };

  for (const [title, ref] of [
    ['by name', { kind: 'MeshHTTPRoute', name: 'r' }],
    ['by labels', { kind: 'MeshHTTPRoute', labels: { l: 'r' } }],
  ] as const) {
    it(`is for the proxies that the route itself selects (${title})`, () => {
      const here = { targetRef: own, to };
      assert.deepEqual([applies(ref, here, client), applies(ref, here, shape)], [true, false]);
      assert.deepEqual([applies(ref, { to }, client), applies(ref, { to }, shape)], [true, true]);
      assert.deepEqual(
        [applies({ ...ref, kind: 'MeshGatewayRoute' }, { to }, client), applies({ ...ref, kind: 'MeshTCPRoute' }, { to }, client)],
        [false, false],
      );
    });
  }

  it('is for none whom the route may not touch', () => {
    const ref = { kind: 'MeshHTTPRoute', labels: { l: 'r' } };
    assert.equal(applies(ref, { to }, client, { from: 'west' }), false);
    assert.equal(applies(ref, { to }, client, { from: 'west/ns' }), true, 'a producer’s route is everybody’s');
  });

  it('leaves what is about inbounds to those whom the route leads to', () => {
    const ref = { kind: 'MeshHTTPRoute', name: 'r' };
    const spec = { from: [{ targetRef: { kind: 'Mesh' }, default: {} }] };
    const here = { targetRef: own, to };
    assert.deepEqual([applies(ref, here, client, { spec }), applies(ref, here, shape, { spec })], [false, true]);
  });
});
