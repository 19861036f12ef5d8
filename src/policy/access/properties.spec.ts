import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Labels } from '../../resource/labels.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { resource } from '../../../test/harness/policies.ts';
import { readAttributes } from './attributes.ts';
import { type AccessDecision, decideAccess } from './decide-access.ts';
import { type AccessPolicy, concerns, readAccessPolicies } from './access-policies.ts';
import { selects } from './attribute-selector.ts';

const SOURCE = ['k8s:ns', 'k8s:sa', 'client.clusterlink.net/labels.role', 'site:geo'];
const DESTINATION = ['service:name', 'export.clusterlink.net/labels.tier', 'site:geo'];
const UNKNOWN = ['role', 'k8s:nss', 'client.clusterlink.net/label.role', 'constructor'];
const value: fc.Arbitrary<string> = fc.constantFrom('a', 'b');

const expression = (keys: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    fc.record({
      key: fc.constantFrom(...keys),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(value, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ key: fc.constantFrom(...keys), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );
const labels = (keys: readonly string[]): fc.Arbitrary<Labels> => fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 2 });
const items = (keys: readonly string[]) =>
  fc.array(
    fc
      .record({ matchLabels: labels(keys), matchExpressions: fc.array(expression(keys), { maxLength: 1 }) })
      .map((workloadSelector): JsonObject => ({ workloadSelector })),
    { minLength: 1, maxLength: 2 },
  );

const written = fc.record({
  type: fc.constantFrom('AccessPolicy', 'AccessPolicy', 'PrivilegedAccessPolicy'),
  action: fc.constantFrom('allow', 'deny'),
  from: items(SOURCE),
  to: items(DESTINATION),
  where: fc.constantFrom('', 'east/pay', 'east/stock'),
});
type WrittenPolicy = typeof written extends fc.Arbitrary<infer T> ? T : never;

const build = ({ type, where, action, from, to }: WrittenPolicy, name: string): Resource =>
  resource(type, name, { action, from, to }, type === 'AccessPolicy' ? where : where.split('/')[0]);
const policies = fc.array(written, { maxLength: 6 }).map((list) => list.map((one, index) => build(one, `p-${index}`)));
const query = fc.record({
  from: fc.dictionary(fc.constantFrom(...SOURCE), value),
  to: fc.dictionary(fc.constantFrom(...DESTINATION), value),
  namespace: fc.constantFrom('pay', 'stock'),
});
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never;

function ask(given: readonly Resource[], asked: Query): AccessDecision {
  return askRead(readAccessPolicies(given, { mesh: 'default', zone: 'east' }), asked);
}

function askRead(policies: readonly AccessPolicy[], { from, to, namespace }: Query): AccessDecision {
  const [source, destination] = [readAttributes('source', from), readAttributes('destination', to)];
  assert.ok(source && destination);
  return decideAccess(policies, { source, destination, namespace });
}

/** As the order of deciding says it: each policy is looked at. */
function askEach(given: readonly Resource[], { from, to, namespace }: Query): Pick<AccessDecision, 'decidedBy' | 'matchedInShadow'> {
  const [source, destination] = [readAttributes('source', from), readAttributes('destination', to)];
  assert.ok(source && destination);
  const read = readAccessPolicies(given, { mesh: 'default', zone: 'east' });
  const matching = read.filter(
    (one) => source.size > 0 && concerns(one.key, namespace) && selects(one.from, source) && selects(one.to, destination),
  );
  const keys = (shadow: boolean) => matching.filter((one) => one.shadow === shadow).map(({ key }) => key);
  return { decidedBy: keys(false)[0], matchedInShadow: keys(true) };
}

/** A selector of each side with one more requirement, on a key that no set has. */
function requireMore({ spec, ...rest }: Resource, more: JsonObject): Resource {
  const widen = (list: unknown) =>
    (list as { workloadSelector: { matchExpressions: JsonObject[] } }[]).map(({ workloadSelector }) => ({
      workloadSelector: { ...workloadSelector, matchExpressions: [...workloadSelector.matchExpressions, more] },
    }));
  return { ...rest, spec: { ...spec, from: widen(spec.from), to: widen(spec.to) } };
}

describe('access decisions', () => {
  it('are those of the first policy that matches, looked at one by one', () => {
    const shadows = fc.infiniteStream(fc.boolean());
    const shuffled = policies.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, shadows, fc.array(query, { minLength: 1, maxLength: 5 }), ([list, other], shown, asked) => {
        const some = new Set(list.filter(() => shown.next().value));
        const labelled = (one: Resource) => (some.has(one) ? { ...one, labels: { ...one.labels, 'kuma.io/effect': 'shadow' } } : one);
        const read = readAccessPolicies(other.map(labelled), { mesh: 'default', zone: 'east' });
        for (const one of asked) {
          const { decidedBy, matchedInShadow } = askRead(read, one);
          assert.deepEqual({ decidedBy, matchedInShadow }, askEach(list.map(labelled), one));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('the order of policies never matters', () => {
    const shuffled = policies.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(fc.property(shuffled, query, ([list, other], asked) => assert.deepEqual(ask(other, asked), ask(list, asked))));
  });

  it('a deny more never allows more, an allow more never allows less', () => {
    fc.assert(
      fc.property(policies, written, query, (list, one, asked) => {
        const [before, after] = [ask(list, asked).allowed, ask([...list, build(one, 'more')], asked).allowed];
        if (before !== after) assert.equal(after, one.action === 'allow');
      }),
    );
  });

  it('an unknown attribute changes nothing', () => {
    fc.assert(
      fc.property(policies, query, labels(UNKNOWN), (list, asked, more) => {
        const changed = { ...asked, from: { ...asked.from, ...more }, to: { ...asked.to, ...more } };
        assert.deepEqual(ask(list, changed), ask(list, asked));
      }),
    );
  });

  it('an unknown key in a policy never widens what it allows, nor narrows what it denies', () => {
    fc.assert(
      fc.property(policies, query, expression(UNKNOWN), fc.nat(), (list, asked, more, index) => {
        const changed = list.map((one, at) => (at === index % list.length ? requireMore(one, more) : one));
        assert.ok(ask(list, asked).allowed || !ask(changed, asked).allowed);
      }),
    );
  });

  it('nobody in particular is never allowed', () => {
    fc.assert(fc.property(policies, query, (list, asked) => !ask(list, { ...asked, from: {} }).allowed));
  });

  it('what is allowed, an allowing policy of the namespace or a privileged one matches', () => {
    fc.assert(
      fc.property(policies, query, (list, asked) => {
        const { allowed, decidedBy, privileged } = ask(list, asked);
        if (!allowed) return;
        const one = list.find(({ key }) => key === decidedBy);
        assert.equal(one?.spec.action, 'allow');
        assert.ok(privileged || one.key.namespace === '' || one.key.namespace === asked.namespace);
        assert.equal(ask([one], asked).allowed, true);
      }),
    );
  });
});
