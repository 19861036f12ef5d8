import fc from 'fast-check';
import type { Attributes } from '../../src/policy/access/attributes.ts';
import { type AccessPolicy, readAccessPolicies } from '../../src/policy/access/access-policies.ts';
import { sourceAttributes } from '../../src/policy/access/attributes.ts';
import { readWorkload } from '../../src/policy/access/read-resources.ts';
import { spiffeIdOfDataplane } from '../../src/policy/callers/caller-identity.ts';
import type { KnownCallers } from '../../src/policy/callers/caller-verdicts.ts';
import type { CalledDestination } from '../../src/policy/callers/called-services.ts';
import type { Labels } from '../../src/resource/labels.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import { set } from './access-policies.ts';
import { resource } from './policies.ts';

/** Callers, services and access policies of a small zone, so that they meet: for specs. */

export const EAST_SITE: Attributes = set('source', { 'site:name': 'east', 'site:location': 'aws/us-east' });

const word = fc.constantFrom('a', 'b');
const SOURCE = ['k8s:ns', 'k8s:sa', 'k8s:label:role', 'client.clusterlink.net/labels.app', 'site:location', 'k8s:container-image'];
const DESTINATION = ['service:name', 'k8s:label:tier', 'k8s:ns', 'site:location'];
const VALUES = ['a', 'b', 'aws', 'aws/us-east', 'shop', 'pay'];

const expression = (keys: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.oneof(
    fc.record({
      key: fc.constantFrom(...keys),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 2 }),
    }),
    fc.record({ key: fc.constantFrom(...keys), operator: fc.constantFrom('Exists', 'DoesNotExist') }),
  );

const selection = (keys: readonly string[]) =>
  fc.array(
    fc.oneof(
      { weight: 4, arbitrary: expression(keys).map((one): JsonObject => ({ workloadSelector: { matchExpressions: [one] } })) },
      fc
        .tuple(fc.constantFrom(...keys), fc.constantFrom(...VALUES))
        .map(([key, value]): JsonObject => ({ workloadSelector: { matchLabels: { [key]: value } } })),
      fc.constant<JsonObject>({ workloadSelector: {} }),
    ),
    { minLength: 1, maxLength: 2 },
  );

/** Of a zone with the namespaces shop and pay, or of global. */
export const accessPolicy: fc.Arbitrary<Resource> = fc
  .record({
    type: fc.constantFrom('AccessPolicy', 'AccessPolicy', 'PrivilegedAccessPolicy'),
    name: fc.constantFrom('p', 'q', 'r', 's', 't', 'u'),
    action: fc.constantFrom('allow', 'allow', 'deny'),
    from: selection(SOURCE),
    to: selection(DESTINATION),
    where: fc.constantFrom('', 'east/pay', 'east/pay', 'east/shop'),
    shadow: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
  })
  .map(({ type, name, action, from, to, where, shadow }) => {
    const place = type === 'AccessPolicy' ? where : (where.split('/')[0] ?? '');
    return resource(type, name, { action, from, to }, place, shadow ? { 'kuma.io/effect': 'shadow' } : {});
  });

/** One resource for each key: the last. */
export function distinct(resources: readonly Resource[]): Resource[] {
  return [...new Map(resources.map((one) => [JSON.stringify(one.key), one])).values()];
}

/** A proxy of the zone that calls others: some share the identity of a service account. */
export const callingProxy: fc.Arbitrary<Resource> = fc
  .record({
    name: fc.constantFrom('x-1', 'x-2', 'x-3', 'x-4'),
    where: fc.constantFrom('east/shop', 'east/pay'),
    labels: fc.dictionary(fc.constantFrom('role', 'app', 'other'), word),
    account: fc.option(word, { nil: undefined }),
    image: fc.option(word, { nil: undefined }),
  })
  .map(({ name, where, labels, account, image }) => {
    const more: Labels = {
      ...(account === undefined ? {} : { 'k8s.kuma.io/service-account': account }),
      ...(image === undefined ? {} : { 'meridian.io/container-images': image }),
    };
    return resource('Dataplane', name, { networking: { address: '10.0.0.1', inbound: [{ port: 80 }] } }, where, { ...labels, ...more });
  });

export const destination: fc.Arbitrary<CalledDestination> = fc
  .record({
    namespace: fc.constantFrom('pay', 'shop'),
    name: fc.constantFrom('a', 'b'),
    tier: fc.option(word, { nil: undefined }),
    known: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  .map(({ namespace, name, tier, known }) => {
    const labels = tier === undefined ? {} : { 'k8s:label:tier': tier };
    const site = { 'site:name': 'east', 'site:location': 'aws/us-east' };
    const attributes = known ? set('destination', { 'service:name': name, 'k8s:ns': namespace, ...labels, ...site }) : undefined;
    return { id: JSON.stringify([namespace, name, tier, known]), namespace, attributes };
  });

export function inForce(policies: readonly Resource[]): AccessPolicy[] {
  return readAccessPolicies(policies, { mesh: 'default', zone: 'east' });
}

export function knownCallers(dataplanes: readonly Resource[], site: Attributes | undefined): KnownCallers {
  const ids = new Set(dataplanes.flatMap((dataplane) => spiffeIdOfDataplane(dataplane) ?? []));
  return {
    size: ids.size,
    with: (id) => dataplanes.filter((one) => spiffeIdOfDataplane(one) === id).map((one) => sourceAttributes(readWorkload(one), site)),
  };
}

/** Of the zone's operator, or of global. */
export const accessOne = fc
  .tuple(
    fc.constantFrom('AccessPolicy', 'PrivilegedAccessPolicy'),
    fc.constantFrom('x', 'y'),
    fc.constantFrom('allow', 'allow', 'deny'),
    fc.constantFrom<JsonObject>({}, { 'k8s:label:app': 'one' }, { 'site:location': 'aws' }),
    fc.constantFrom<JsonObject>({}, { 'service:name': 'backend' }),
    fc.constantFrom('', 'east'),
  )
  .map(([type, name, action, by, at, where]) => {
    const items = (matchLabels: JsonObject): JsonObject[] => [{ workloadSelector: { matchLabels } }];
    return resource(type, name, { action, from: items(by), to: items(at) }, where);
  });
