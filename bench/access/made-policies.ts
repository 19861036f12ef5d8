import type { Labels } from '../../src/resource/labels.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import type { Attributes } from '../../src/policy/access/attributes.ts';
import { set } from '../../test/harness/access-policies.ts';
import { resource } from '../../test/harness/policies.ts';
import { type Chance, seededChance } from './seeded-chance.ts';

/** Policies and requests from a seed: the same ones each time, of every shape that a selector can have. */

/** Who asks for what, with sets as they are read. */
export interface MadeRequest {
  readonly from: Labels;
  readonly to: Labels;
  readonly source: Attributes;
  readonly destination: Attributes;
  readonly namespace: string;
}

const NAMESPACES = names('ns', 20);
const LOCATIONS = ['aws', 'gcp'].flatMap((cloud) =>
  ['us-east', 'us-west', 'eu-1'].flatMap((region) => [1, 2, 3].map((vpc) => `${cloud}/${region}/vpc${vpc}`)),
);
const SITE: AttributeValues = { 'site:name': names('site', 12), 'site:environment': ['prod', 'stage', 'dev'], 'site:location': LOCATIONS };

type AttributeValues = Readonly<Record<string, readonly string[]>>;

/** What a workload has, and what a service has. */
const SOURCE: AttributeValues = {
  'k8s:ns': NAMESPACES,
  'k8s:sa': names('sa', 40),
  'k8s:label:app': names('app', 60),
  'k8s:label:role': names('role', 8),
  'k8s:container-image': names('registry.example/app', 30),
  ...SITE,
};
const DESTINATION: AttributeValues = {
  'service:name': names('svc', 100),
  'k8s:label:tier': ['gold', 'silver', 'tin'],
  'k8s:label:team': names('team', 15),
  ...SITE,
};
/** Not everything has them. */
const OFTEN_ABSENT = new Set(['k8s:label:role', 'k8s:label:tier', 'k8s:label:team', 'k8s:container-image', 'site:environment']);

/**
 * One policy in ten is privileged, one in twenty is for all namespaces, the others are of one of twenty; two of five
 * deny. `from` and `to` are one or two selectors each.
 */
export function makePolicies(count: number, seed: number): Resource[] {
  const chance = seededChance(seed);
  return Array.from({ length: count }, (_, index) => {
    const isPrivileged = chance.below(10) === 0;
    const where = isPrivileged ? '' : chance.below(19) === 0 ? '' : `east/${chance.pick(NAMESPACES)}`;
    const action = chance.below(5) < 2 ? 'deny' : 'allow';
    // What is for everybody is narrower, or nothing else would ever decide.
    const least = where === '' ? 3 : 2;
    const side = (values: AttributeValues) => Array.from({ length: 1 + chance.below(2) }, () => selector(chance, values, least));
    const spec = { action, from: side(SOURCE), to: side(DESTINATION) };
    return resource(isPrivileged ? 'PrivilegedAccessPolicy' : 'AccessPolicy', `p-${index}`, spec, where);
  });
}

/** Two to four requirements of different keys, in any of the five ways to write one; one in twelve is for everybody. */
function selector(chance: Chance, values: AttributeValues, least: number): JsonObject {
  if (least < 3 && chance.below(12) === 0) return { workloadSelector: {} };
  const keys = chance.shuffle(Object.keys(values)).slice(0, least + chance.below(2));
  const matchLabels: Record<string, string> = {};
  const matchExpressions: JsonObject[] = [];
  for (const key of keys) {
    const known = values[key] ?? [];
    const way = chance.below(20);
    const some = (most: number) => [
      ...new Set(Array.from({ length: 1 + chance.below(most) }, () => place(chance, key, chance.pick(known)))),
    ];
    if (way < 8) matchLabels[key] = place(chance, key, chance.pick(known));
    else if (way < 14) matchExpressions.push({ key, operator: 'In', values: some(3) });
    else if (way < 17) matchExpressions.push({ key, operator: 'NotIn', values: some(3) });
    else matchExpressions.push({ key, operator: way < 19 ? 'Exists' : 'DoesNotExist' });
  }
  return { workloadSelector: { matchLabels, matchExpressions } };
}

/** Policies name larger places than those that sites are in. */
function place(chance: Chance, key: string, value: string): string {
  return key === 'site:location'
    ? value
        .split('/')
        .slice(0, 1 + chance.below(3))
        .join('/')
    : value;
}

/** Of 1,000 workloads, each to one of 500 services, asked in the service's namespace. */
export function makeRequests(count: number, seed: number): MadeRequest[] {
  const chance = seededChance(seed);
  const callers = Array.from({ length: 1_000 }, () => {
    const from = some(chance, SOURCE);
    return { from, source: set('source', from) };
  });
  const services = Array.from({ length: 500 }, () => {
    const namespace = chance.pick(NAMESPACES);
    const to = { ...some(chance, DESTINATION), 'k8s:ns': namespace };
    return { to, destination: set('destination', to), namespace };
  });
  return Array.from({ length: count }, () => ({ ...chance.pick(callers), ...chance.pick(services) }));
}

/** The attributes of so many sites. */
export function makeSites(count: number, seed: number): Attributes[] {
  const chance = seededChance(seed);
  return Array.from({ length: count }, () => set('destination', some(chance, SITE)));
}

function some(chance: Chance, values: AttributeValues): Labels {
  const keys = Object.keys(values).filter((key) => !OFTEN_ABSENT.has(key) || chance.below(3) > 0);
  return Object.fromEntries(keys.map((key) => [key, chance.pick(values[key] ?? [])]));
}

function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}
