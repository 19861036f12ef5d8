import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatAudience, GLOBAL_PEER, includes, NOBODY, parseAudience } from '../resource/audience.ts';
import type { Key } from '../resource/key.ts';
import { KINDS, kindOf } from '../resource/kinds.ts';
import { GLOBAL, type JsonObject, type Place } from '../resource/resource.ts';
import { audienceAt, describeReach } from './policy-reach.ts';
import { roleOf } from './policy-role.ts';

const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
const WEST: Place = { ...EAST, zone: 'west' };
const ZONES = ['east', 'west', 'north'];

const own = { targetRef: { kind: 'MeshService', name: 'backend' } };
const other = { targetRef: { kind: 'MeshService', name: 'redis', namespace: 'redis-ns' } };
const external = { kind: 'MeshExternalService', name: 'ext' };
const toZone = (zone: unknown) => ({ kind: 'MeshSubset', tags: { 'kuma.io/zone': zone } }) as JsonObject;
const routing = (backendRef: JsonObject) => ({ ...own, rules: [{ default: { backendRefs: [backendRef] } }] });

interface ReachCase {
  readonly type: string;
  readonly zone?: string;
  readonly namespace?: string;
  readonly spec?: JsonObject;
  readonly labels?: Record<string, string>;
}

function read({ type, zone = 'east', namespace = 'backend-ns', spec = {}, labels = {} }: ReachCase) {
  const kind = kindOf(type);
  const key: Key = { type, mesh: 'default', zone, namespace: zone === '' ? '' : namespace, name: 'x' };
  const result = roleOf(kind, spec, key.namespace, 'kuma-system');
  const role = kind.policy && 'role' in result ? result.role : undefined;
  return { kind, key, spec, labels, role };
}

/** Everybody who gets it: from its origin, and then from global. */
function reached(input: ReachCase): string[] {
  const { kind, key, spec, labels, role } = read(input);
  const origin: Place = key.zone === '' ? GLOBAL : { ...EAST, zone: key.zone };
  const first = audienceAt(origin, kind, key, labels, spec, role);
  if (key.zone === '') return ZONES.filter((zone) => includes(first, key, zone));
  if (!includes(first, key, GLOBAL_PEER)) return [];
  const then = audienceAt(GLOBAL, kind, key, labels, spec, role);
  return ['global', ...ZONES.filter((zone) => includes(then, key, zone))];
}

function described(input: ReachCase): string {
  const { kind, key, spec, labels, role } = read(input);
  return describeReach(kind, key, labels, spec, role);
}

const EVERYWHERE = ['global', 'west', 'north'];
const disabled = { 'kuma.io/kds-sync': 'disabled' };

describe('audienceAt and describeReach', () => {
  const cases: [title: string, input: ReachCase, words: string, who: string[]][] = [
    ['a global policy', { type: 'MeshTimeout', zone: '', spec: { to: [own] } }, 'every zone', ZONES],
    ['a producer', { type: 'MeshTimeout', spec: { to: [own] } }, 'global, every other zone', EVERYWHERE],
    [
      'a producer for one zone',
      { type: 'MeshTimeout', spec: { targetRef: toZone('west'), to: [own] } },
      'global, only zone west',
      ['global', 'west'],
    ],
    ['a producer for its own zone', { type: 'MeshTimeout', spec: { targetRef: toZone('east'), to: [own] } }, 'global only', ['global']],
    [
      'a producer on another subset',
      { type: 'MeshTimeout', spec: { targetRef: { kind: 'MeshSubset', tags: { a: 'b' } }, to: [own] } },
      'global, every other zone',
      EVERYWHERE,
    ],
    ['a producer route', { type: 'MeshHTTPRoute', spec: { to: [routing(other.targetRef)] } }, 'global, every other zone', EVERYWHERE],
    ['a producer route to the outside', { type: 'MeshHTTPRoute', spec: { to: [routing(external)] } }, 'global only', ['global']],
    ['a consumer', { type: 'MeshTimeout', spec: { to: [other] } }, 'global only', ['global']],
    ['a consumer with a zone tag', { type: 'MeshTimeout', spec: { targetRef: toZone('west'), to: [other] } }, 'global only', ['global']],
    ['a consumer of the outside', { type: 'MeshTimeout', spec: { to: [{ targetRef: external }] } }, 'global only', ['global']],
    ['a workload owner', { type: 'MeshTrafficPermission', spec: { from: [{}] } }, 'global only', ['global']],
    ['a mixed policy', { type: 'MeshTimeout', spec: { to: [own, other] } }, 'global only', ['global']],
    ['a system policy of a zone', { type: 'MeshTimeout', namespace: 'kuma-system', spec: { to: [own] } }, 'global only', ['global']],
    ['a policy of a universal zone', { type: 'MeshTimeout', namespace: '', spec: { to: [own] } }, 'global only', ['global']],
    ['an access policy', { type: 'AccessPolicy' }, 'global only', ['global']],
    ['a global access policy', { type: 'AccessPolicy', zone: '' }, 'every zone', ZONES],
    ['a service', { type: 'MeshService' }, 'global, every other zone', EVERYWHERE],
    ['a dataplane', { type: 'Dataplane' }, 'global only', ['global']],
    ['a zone’s external service', { type: 'MeshExternalService', namespace: 'kuma-system' }, 'global only', ['global']],
    ['a mesh', { type: 'Mesh', zone: '' }, 'every zone', ZONES],
    ['a Zone', { type: 'Zone', zone: '' }, 'every zone', ZONES],
    ['a global policy that stays', { type: 'MeshTimeout', zone: '', labels: disabled }, 'nowhere', []],
    ['a producer that stays', { type: 'MeshTimeout', spec: { to: [own] }, labels: disabled }, 'nowhere', []],
    ['a service that stays', { type: 'MeshService', labels: disabled }, 'nowhere', []],
    [
      'a service that is synced',
      { type: 'MeshService', labels: { 'kuma.io/kds-sync': 'enabled' } },
      'global, every other zone',
      EVERYWHERE,
    ],
  ];
  for (const [title, input, words, who] of cases) {
    it(`${title}: ${words}`, () => {
      assert.equal(described(input), words);
      assert.deepEqual(reached(input), who);
    });
  }

  it('sends nothing on to anybody from a zone that has a copy', () => {
    for (const { type } of KINDS) {
      for (const zone of ['', 'east']) {
        const { kind, key, spec, labels, role } = read({ type, zone, spec: { to: [own] } });
        assert.equal(audienceAt(WEST, kind, key, labels, spec, role), NOBODY, type);
      }
    }
  });

  it('makes no audience of a zone tag that names no zone', () => {
    for (const zone of ['*', '', 'East', 'a.b', 7, null, ['west'], { west: 1 }]) {
      assert.deepEqual(reached({ type: 'MeshTimeout', spec: { targetRef: toZone(zone), to: [own] } }), ['global'], JSON.stringify(zone));
    }
  });

  it('keeps its meaning in the one column that it is stored in', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom('*', 'west', ...ZONES)), (zone) => {
        const { kind, key, spec, labels, role } = read({ type: 'MeshTimeout', spec: { targetRef: toZone(zone), to: [own] } });
        const audience = audienceAt(GLOBAL, kind, key, labels, spec, role);
        assert.deepEqual(parseAudience(formatAudience(audience)), audience);
      }),
    );
  });
});
