import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { atOnce } from '../../resource/store/parts.ts';
import type { Resource } from '../../resource/resource.ts';
import {
  accessPolicy,
  callingProxy,
  destination,
  distinct,
  EAST_SITE,
  inForce,
  knownCallers,
} from '../../../test/harness/access-worlds.ts';
import { resource } from '../../../test/harness/policies.ts';
import { spiffeIdOfDataplane } from './caller-identity.ts';
import { CallerMatrix } from './caller-matrix.ts';
import { type CallerVerdict, callerVerdicts } from './caller-verdicts.ts';
import type { CalledDestination } from './called-services.ts';

const destinations = fc.uniqueArray(destination, { minLength: 1, maxLength: 2, selector: ({ id }) => id });
const world = fc.record({
  policies: fc.array(accessPolicy, { maxLength: 8 }).map(distinct),
  dataplanes: fc.array(callingProxy, { maxLength: 8 }).map(distinct),
});
type CallersWorld = typeof world extends fc.Arbitrary<infer T> ? T : never;

const given = ({ policies, dataplanes }: CallersWorld) => ({ policies: inForce(policies), dataplanes, site: EAST_SITE });

function compare(matrix: CallerMatrix, { policies, dataplanes }: CallersWorld, at: readonly CalledDestination[]): number {
  const [callers, all] = [knownCallers(dataplanes, EAST_SITE), matrix.at(at)];
  const asked = callerVerdicts(inForce(policies), at, callers);
  assert.equal(all === undefined, asked === undefined);
  if (!all || !asked) return 0;
  const ids = [...new Set(dataplanes.map((one) => spiffeIdOfDataplane(one) ?? ''))].sort();
  assert.deepEqual([...all.keys()].sort(), ids);
  assert.equal(all.size, asked.size);
  for (const id of ids) assert.deepEqual(all.get(id), asked.get(id), id);
  return [...all.values()].filter(({ allowed }) => allowed).length;
}

describe('all callers at once are decided as each for itself', () => {
  it('whatever there is', () => {
    let allowed = 0;
    fc.assert(
      fc.property(world, destinations, (one, at) => {
        allowed += compare(atOnce(CallerMatrix.build(given(one))), one, at);
      }),
      { numRuns: 500 },
    );
    assert.ok(allowed > 150, `only ${allowed} were allowed`);
  });

  it('after changes too, of which little is worked out again', () => {
    let [updates, same] = [0, 0];
    const changes = fc.array(fc.oneof(accessPolicy, callingProxy, callingProxy), { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(world, changes, destinations, (first, others, at) => {
        let now = first;
        let matrix = atOnce(CallerMatrix.build(given(now)));
        for (const one of others) {
          const before = matrix.at(at);
          const list = one.key.type === 'Dataplane' ? 'dataplanes' : 'policies';
          now = { ...now, [list]: distinct([...now[list], one]) };
          if (matrix.isNear(given(now))) {
            const version = matrix.version;
            matrix.update(given(now));
            updates++;
            if (matrix.version === version) assert.equal(matrix.at(at), before);
            if (before && matrix.at(at) === before) same++;
          } else matrix = atOnce(CallerMatrix.build(given(now), matrix));
          compare(matrix, now, at);
        }
      }),
      { numRuns: 200 },
    );
    assert.ok(updates > 300 && same > 50, `${updates} updates, ${same} times the same`);
  });

  it('in whatever order policies and Dataplanes are listed', () =>
    fc.assert(
      fc.property(world, destinations, fc.infiniteStream(fc.nat()), (one, at, stream) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => [stream.next().value, value] as const)
            .sort(([a], [b]) => a - b)
            .map(([, value]) => value);
        const other = { policies: shuffled(one.policies), dataplanes: shuffled(one.dataplanes) };
        const verdicts = (some: CallersWorld) => sorted(atOnce(CallerMatrix.build(given(some))).at(at));
        assert.deepEqual(verdicts(other), verdicts(one));
      }),
    ));
});

function sorted(verdicts: ReadonlyMap<string, CallerVerdict> | undefined): unknown {
  return verdicts && [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
}

const web = (name: string, labels: Record<string, string>): Resource =>
  resource('Dataplane', name, { networking: { address: '10.0.0.1', inbound: [{ port: 80 }] } }, 'east/shop', labels);
const allowing = resource(
  'AccessPolicy',
  'web',
  { action: 'allow', from: [{ workloadSelector: { matchLabels: { 'k8s:label:app': 'web' } } }], to: [{ workloadSelector: {} }] },
  'east/shop',
);
const shop: CalledDestination = { id: 'shop', namespace: 'shop', attributes: EAST_SITE };
const ID = 'spiffe://default.east.mesh.local/ns/shop';

it('many policies and callers are worked out in many steps, and then changed in few', () => {
  const dataplanes = Array.from({ length: 1_000 }, (_, index) => web(`w-${index}`, { app: `${index}` }));
  const policies = inForce(
    Array.from({ length: 1_000 }, (_, index) =>
      resource(
        'AccessPolicy',
        `p-${index}`,
        { ...allowing.spec, from: [{ workloadSelector: { matchLabels: { 'k8s:label:app': `${index}` } } }] },
        'east/shop',
      ),
    ),
  );
  const steps = CallerMatrix.build({ policies, dataplanes, site: EAST_SITE });
  let count = 0;
  for (;;) {
    const step = steps.next();
    if (step.done) {
      assert.equal([...(step.value.at([shop])?.values() ?? [])].filter(({ allowed }) => allowed).length, 1_000);
      assert.ok(
        step.value.isNear({ policies: policies.slice(1), dataplanes: [...dataplanes.slice(1), web('w-0', { app: '7' })], site: EAST_SITE }),
      );
      break;
    }
    count++;
  }
  assert.ok(count >= 1_000, `${count} steps`);
});

describe('callers', () => {
  it('that share an identity get in only if each may', () => {
    const account = { 'k8s.kuma.io/service-account': 'one' };
    const [good, bad] = [web('good', { ...account, app: 'web' }), web('bad', { ...account, app: 'evil' })];
    const verdict = (...dataplanes: Resource[]) =>
      atOnce(CallerMatrix.build(given({ policies: [allowing], dataplanes })))
        .at([shop])
        ?.get(`${ID}/sa/one`);
    assert.deepEqual([verdict(good)?.allowed, verdict(good)?.mixed], [true, false]);
    assert.deepEqual([verdict(good, bad)?.allowed, verdict(good, bad)?.mixed], [false, true]);
    assert.deepEqual([verdict(bad)?.allowed, verdict(bad)?.mixed], [false, false]);
  });

  it('of a site of which nothing is known are denied, and so is everybody at a service of one', () => {
    const dataplanes = [web('good', { app: 'web' })];
    const policies = inForce([allowing]);
    const at = (site: typeof EAST_SITE | undefined, to: CalledDestination) =>
      atOnce(CallerMatrix.build({ policies, dataplanes, site })).at([to])?.get(`${ID}/dataplane/good`)?.allowed;
    assert.equal(at(EAST_SITE, shop), true);
    assert.equal(at(undefined, shop), false);
    assert.equal(at(EAST_SITE, { ...shop, attributes: undefined }), false);
  });

  it('a label that no policy asks for changes nothing', () => {
    const policies = inForce([allowing]);
    const matrix = atOnce(CallerMatrix.build({ policies, dataplanes: [web('good', { app: 'web' })], site: EAST_SITE }));
    const before = matrix.at([shop]);
    const version = matrix.version;
    const change = (labels: Record<string, string>) => {
      const now = { policies, dataplanes: [web('good', labels)], site: EAST_SITE };
      assert.ok(matrix.isNear(now));
      matrix.update(now);
    };
    change({ app: 'web', other: 'x' });
    assert.equal(matrix.version, version);
    change({ app: 'evil' });
    assert.notEqual(matrix.at([shop]), before);
  });

  it('a policy that can’t be read selects every service, whatever it says that it does', () => {
    for (const action of ['allow', 'deny']) {
      const [broken] = inForce([{ ...allowing, spec: { action } }]);
      assert.ok(broken);
      const matrix = atOnce(CallerMatrix.build({ policies: [broken], dataplanes: [web('good', { app: 'web' })], site: EAST_SITE }));
      assert.equal(matrix.at([shop])?.get(`${ID}/dataplane/good`)?.allowed, false, action);
    }
  });
});
