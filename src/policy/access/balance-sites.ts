import { compareKeys, compareText, type Key } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import { type LoadBalancingSpec, loadBalancingSchema } from '../../resource/schema/access-schema.ts';
import { check } from '../../resource/schema/check-schema.ts';
import type { Attributes } from './attributes.ts';
import type { Binding } from './import-bindings.ts';
import { attributeKey } from './attribute-keys.ts';
import { concerns, type DecidingPlane, isInForce } from './access-policies.ts';
import { nearness } from './locations.ts';
import { EVERYBODY, readSelection, type Selection, selects } from './attribute-selector.ts';

/** A LoadBalancingPolicy, read once for all picks. */
export interface BalancingPolicy {
  readonly key: Key;
  readonly from: Selection;
  readonly to: Selection;
  readonly spec: LoadBalancingSpec;
}

/** A binding that access policies allow, with its destination set. */
export interface Candidate {
  readonly binding: Binding;
  readonly destination: Attributes;
}

export interface Balancing {
  readonly source: Attributes;
  /** The import's. */
  readonly namespace: string;
  /** From 0 up to, and without, 1: the caller's randomness. */
  readonly chance: number;
  /** The site that was picked last for this import, for `round-robin`; undefined: none yet. */
  readonly last: string | undefined;
}

/**
 * The load balancing policies of a mesh that are in force in a zone, the first that matches counts: those of a
 * namespace before those for all, among equals by KRI. Shadow policies, and those that can't be read, are left out.
 * Where no policy matches, the pick is random.
 */
export function readBalancing(resources: Iterable<Resource>, at: DecidingPlane): BalancingPolicy[] {
  const mine = [...resources].filter(
    ({ key, labels }) => key.type === 'LoadBalancingPolicy' && isInForce(key, at) && labels[LABEL.effect] !== 'shadow',
  );
  const forAll = ({ key }: BalancingPolicy) => Number(key.namespace === '');
  return mine.flatMap(readPolicy).sort((a, b) => forAll(a) - forAll(b) || compareKeys(a.key, b.key));
}

function readPolicy({ key, spec }: Resource): BalancingPolicy[] {
  const { data } = check(loadBalancingSchema, spec, ['spec']);
  if (!data) return [];
  const from = data.from ? readSelection('source', 'allow', data.from) : EVERYBODY;
  return [{ key, from, to: data.to ? readSelection('destination', 'allow', data.to) : EVERYBODY, spec: data }];
}

/**
 * Picks one of the allowed candidates (docs/design/attributes.md#load-balancing) by the first policy whose `from`
 * matches the client and whose `to` matches a candidate. A site that is no candidate is never picked, even if the
 * policy names it. undefined: there is no candidate. The picked site is the next `last`.
 *
 *   static [rome, gone, bern] over bern, oslo  ->  bern
 */
export function pickCandidate(
  policies: readonly BalancingPolicy[],
  candidates: readonly Candidate[],
  by: Balancing,
): Candidate | undefined {
  return pickFrom(narrowCandidates(policies, candidates, by), by);
}

/** One of those that may be picked; undefined: there is none. */
export function pickFrom({ scheme, among, weights }: Choice, { chance, last }: Pick<Balancing, 'chance' | 'last'>): Candidate | undefined {
  if (scheme === 'round-robin') return among.find((candidate) => last !== undefined && siteOf(candidate) > last) ?? among[0];
  if (!weights) return among[Math.floor(chance * among.length)];
  const ends = weights.map((_, place) => weights.slice(0, place + 1).reduce((sum, weight) => sum + weight, 0));
  const at = chance * (ends.at(-1) ?? 0);
  return among.find((_, place) => at < (ends[place] ?? 0));
}

/** Which of the candidates may be picked. */
export interface Choice {
  /** The policy that says so; undefined: none matches, and any may be. */
  readonly policy: Key | undefined;
  readonly scheme: LoadBalancingSpec['scheme'];
  /** By site: in turn with `round-robin`, by their weights with `weighted`, else each as likely as the others. */
  readonly among: readonly Candidate[];
  /** With `weighted`: how often each is picked, next to the others. */
  readonly weights?: readonly number[] | undefined;
}

/** By the first policy whose `from` matches the client and whose `to` matches a candidate. */
export function narrowCandidates(
  policies: readonly BalancingPolicy[],
  candidates: readonly Candidate[],
  { source, namespace }: Pick<Balancing, 'source' | 'namespace'>,
): Choice {
  const policy = policies.find(
    ({ key, from, to }) =>
      concerns(key, namespace) && selects(from, source) && candidates.some(({ destination }) => selects(to, destination)),
  );
  const sorted = [...candidates].sort((a, b) => compareText(siteOf(a), siteOf(b)));
  const spec: LoadBalancingSpec = policy?.spec ?? { scheme: 'random' };
  const among = preferred(spec, sorted, source);
  return { policy: policy?.key, scheme: spec.scheme, among, ...(spec.scheme === 'weighted' ? { weights: weightsOf(spec, among) } : {}) };
}

function preferred(
  { scheme, sites = [], attributes = [], weights = {} }: LoadBalancingSpec,
  sorted: readonly Candidate[],
  source: Attributes,
) {
  switch (scheme) {
    case 'random':
    case 'round-robin':
      return sorted;
    case 'static': {
      const named = sites.flatMap((site) => sorted.find((candidate) => siteOf(candidate) === site) ?? []);
      return [...named, ...sorted].slice(0, 1);
    }
    case 'attributes':
      return nearest(attributes, source, sorted);
    case 'weighted': {
      const weighed = sorted.filter((candidate) => weightOf(weights, candidate) > 0);
      return weighed.length > 0 ? weighed : sorted;
    }
  }
}

/** Where none of those that may be picked has one, all are alike. */
function weightsOf({ weights = {} }: LoadBalancingSpec, among: readonly Candidate[]): number[] {
  return among.map((candidate) => weightOf(weights, candidate) || 1);
}

/** A site that is not named has none. */
function weightOf(weights: Readonly<Record<string, number>>, candidate: Candidate): number {
  const site = siteOf(candidate);
  return Object.hasOwn(weights, site) ? (weights[site] ?? 0) : 0;
}

/** Key by key, those that are nearest to the client's value, if any is near. */
function nearest(keys: readonly string[], source: Attributes, sorted: readonly Candidate[]): readonly Candidate[] {
  return keys.reduce((left, written) => {
    const [mine, key] = [source.get(attributeKey('source', written) ?? ''), attributeKey('destination', written) ?? ''];
    const near = left.map(({ destination }) => nearnessOf(key, mine, destination.get(key)));
    const most = Math.max(...near);
    return most > 0 ? left.filter((_, place) => near[place] === most) : left;
  }, sorted);
}

function nearnessOf(key: string, mine: string | undefined, theirs: string | undefined): number {
  return mine === undefined || theirs === undefined ? 0 : nearness(key, mine, theirs);
}

function siteOf({ binding }: Candidate): string {
  return binding.key.zone;
}
