import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { destinationAttributes, siteAttributes } from './attributes.ts';
import { type Balancing, type Candidate, pickCandidate, readBalancing } from './balance-sites.ts';
import { ALL, selector, set } from '../../../test/harness/access-policies.ts';

const AT = { mesh: 'default', zone: 'east' };
const SITES = {
  bern: { geo: 'eu', env: 'prod' },
  lima: { geo: 'sa', env: 'dev', tier: 'gold' },
  oslo: { geo: 'eu', env: 'dev' },
  rome: {},
};
type SiteName = keyof typeof SITES;
const ALL_SITES = Object.keys(SITES) as SiteName[];

function candidate(site: SiteName): Candidate {
  const service = { name: 'ledger', namespace: 'stock', labels: {} };
  const key = { type: 'MeshService', mesh: 'default', zone: site, namespace: 'stock', name: 'ledger' };
  const attributes = siteAttributes(site, SITES[site]);
  assert.ok(attributes);
  return { binding: { key, service }, destination: destinationAttributes(service, attributes) };
}

const policy = (name: string, spec: JsonObject, where = 'east/stock', labels = {}, mesh = 'default') =>
  resource('LoadBalancingPolicy', name, spec, where, labels, mesh);
const source = set('source', { 'k8s:ns': 'pay', 'site:geo': 'eu', 'site:env': 'dev', 'site:name': 'kiel' });

function pick(policies: readonly ReturnType<typeof policy>[], sites: readonly SiteName[], by: Partial<Balancing> = {}): string | undefined {
  const given = { source, namespace: 'stock', chance: 0, last: undefined, ...by };
  return pickCandidate(readBalancing(policies, AT), sites.map(candidate), given)?.binding.key.zone;
}

describe('a pick', () => {
  const robin = { scheme: 'round-robin' };
  const order = (...sites: string[]) => ({ scheme: 'static', sites });
  const near = (...attributes: string[]) => ({ scheme: 'attributes', attributes });
  const weighted = (weights: Record<string, number>) => ({ scheme: 'weighted', weights });
  const cases: readonly (readonly [spec: JsonObject, sites: readonly SiteName[], by: Partial<Balancing>, picked: string | undefined])[] = [
    [{ scheme: 'random' }, ALL_SITES, { chance: 0 }, 'bern'],
    [{ scheme: 'random' }, ALL_SITES, { chance: 0.5 }, 'oslo'],
    [{ scheme: 'random' }, ALL_SITES, { chance: 0.999 }, 'rome'],
    [robin, ALL_SITES, {}, 'bern'],
    [robin, ALL_SITES, { last: 'bern' }, 'lima'],
    [robin, ALL_SITES, { last: 'rome' }, 'bern'],
    [robin, ALL_SITES, { last: 'gone' }, 'lima'],
    [robin, ['rome', 'bern'], { last: 'zug' }, 'bern'],
    [order('rome', 'oslo'), ALL_SITES, {}, 'rome'],
    [order('gone', 'oslo', 'rome'), ALL_SITES, {}, 'oslo'],
    [order('gone'), ['oslo', 'lima'], {}, 'lima'],
    [near('site:geo'), ALL_SITES, { chance: 0 }, 'bern'],
    [near('site:geo'), ALL_SITES, { chance: 0.9 }, 'oslo'],
    [near('peer.clusterlink.net/labels.geo', 'cl:site:env'), ALL_SITES, { chance: 0 }, 'oslo'],
    [near('site:env', 'site:geo'), ['bern', 'lima'], { chance: 0 }, 'lima'],
    [near('site:geo', 'site:env'), ['lima', 'rome'], { chance: 0.9 }, 'lima'],
    [near('site:geo'), ['lima', 'rome'], { chance: 0.9 }, 'rome'],
    [near('site:tier'), ['lima', 'rome'], { chance: 0 }, 'lima'],
    [near('nonsense', 'site:colour', 'site:geo'), ['lima', 'oslo', 'rome'], { chance: 0.9 }, 'oslo'],
    [weighted({ rome: 1 }), ALL_SITES, { chance: 0 }, 'rome'],
    [weighted({ bern: 1, rome: 3 }), ALL_SITES, { chance: 0.24 }, 'bern'],
    [weighted({ bern: 1, rome: 3 }), ALL_SITES, { chance: 0.25 }, 'rome'],
    [weighted({ bern: 1, rome: 3 }), ALL_SITES, { chance: 0.999 }, 'rome'],
    [weighted({ bern: 1, gone: 1000 }), ALL_SITES, { chance: 0.999 }, 'bern'],
    [weighted({ bern: 0, rome: 1 }), ['bern', 'oslo'], { chance: 0.49 }, 'bern'],
    [weighted({ bern: 0, rome: 1 }), ['bern', 'oslo'], { chance: 0.5 }, 'oslo'],
  ];
  for (const [spec, sites, by, picked] of cases) {
    it(`${JSON.stringify(spec)} of ${sites.join(', ')} with ${JSON.stringify(by)}: ${picked}`, () => {
      assert.equal(pick([policy('p', spec)], sites, by), picked);
      assert.equal(pick([policy('p', spec)], [...sites].reverse(), by), picked);
      assert.equal(pick([policy('p', spec)], [], by), undefined);
    });
  }

  it('round robin comes to every site before it comes again, also when sites go and come', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ALL_SITES, { minLength: 1 }), fc.constantFrom(undefined, 'a', 'gone', 'zug'), (sites, first) => {
        const seen: (string | undefined)[] = [first];
        for (const _ of sites) seen.push(pick([policy('p', robin)], sites, { last: seen.at(-1) }));
        assert.deepEqual(new Set(seen.slice(1)), new Set(sites));
      }),
    );
  });

  it('goes by the weights, over many', () => {
    const weight = fc.integer({ min: 0, max: 5 });
    fc.assert(
      fc.property(fc.record({ bern: weight, lima: weight, oslo: weight, rome: fc.constant(1) }), (weights) => {
        const all = Object.values(weights).reduce((sum, one) => sum + one, 0);
        const picked = Array.from({ length: all }, (_, n) =>
          pick([policy('p', weighted(weights))], ALL_SITES, { chance: (n + 0.5) / all }),
        );
        for (const site of ALL_SITES) assert.equal(picked.filter((one) => one === site).length, weights[site]);
      }),
    );
  });

  it('is one of the candidates, whatever the policy', () => {
    const others = [order('gone', 'rome', 'bern'), near('site:geo', 'site:env'), weighted({ rome: 2, gone: 7 }), { scheme: 'nonsense' }];
    const specs = fc.constantFrom<JsonObject>({ scheme: 'random' }, robin, ...others);
    const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        specs,
        fc.shuffledSubarray(ALL_SITES, { minLength: 1 }),
        chance,
        fc.option(fc.string(), { nil: undefined }),
        (spec, sites, c, last) => {
          const one = { ...policy('p', robin), spec };
          assert.ok(sites.includes(pick([one], sites, { chance: c, last }) as SiteName));
        },
      ),
    );
  });
});

describe('the policy that counts', () => {
  const rome = (name: string, more: JsonObject = {}, where?: string, labels = {}, mesh = 'default') =>
    policy(name, { scheme: 'static', sites: ['rome'], ...more }, where, labels, mesh);
  const oslo = policy('b', { scheme: 'static', sites: ['oslo'] });
  const cases: readonly (readonly [title: string, other: ReturnType<typeof policy>, picked: string])[] = [
    ['is the first by KRI', rome('a'), 'rome'],
    ['not the second', rome('c'), 'oslo'],
    ['is the namespace’s, before global’s', rome('a', {}, ''), 'oslo'],
    ['is none of another namespace', rome('a', {}, 'east/pay'), 'oslo'],
    ['is none of another zone', rome('a', {}, 'bern/stock'), 'oslo'],
    ['is none of another mesh', rome('a', {}, 'east/stock', {}, 'other'), 'oslo'],
    ['is enforced', rome('a', {}, 'east/stock', { 'kuma.io/effect': 'shadow' }), 'oslo'],
    ['is for this client', rome('a', { from: [selector({ 'k8s:ns': 'pay' })] }), 'rome'],
    ['is for no other client', rome('a', { from: [selector({ 'k8s:ns': 'stock' })] }), 'oslo'],
    ['is for this service', rome('a', { from: [ALL], to: [selector({ 'service:name': 'ledger' })] }), 'rome'],
    ['is for no other service', rome('a', { to: [selector({ 'service:name': 'cart' })] }), 'oslo'],
    ['can be read', { ...rome('a'), spec: { scheme: 'static' } }, 'oslo'],
  ];
  for (const [title, other, picked] of cases) {
    it(title, () => {
      assert.equal(pick([oslo, other], ALL_SITES), picked);
      assert.equal(pick([other, oslo], ALL_SITES), picked);
    });
  }

  it('may be none, and then it is chance', () => {
    assert.equal(pick([], ALL_SITES, { chance: 0.3 }), 'lima');
    assert.equal(pick([rome('a', {}, '')], ALL_SITES, { chance: 0.3 }), 'rome');
  });
});
