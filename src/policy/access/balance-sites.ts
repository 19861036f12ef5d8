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
  const { scheme, among } = narrowCandidates(policies, candidates, by);
  if (scheme !== 'round-robin') return among[Math.floor(by.chance * among.length)];
  return among.find((candidate) => by.last !== undefined && siteOf(candidate) > by.last) ?? among[0];
}

/** Which of the candidates may be picked. */
export interface Choice {
  /** The policy that says so; undefined: none matches, and any may be. */
  readonly policy: Key | undefined;
  readonly scheme: LoadBalancingSpec['scheme'];
  /** By site: all of them in turn with `round-robin`, else each as likely as the others. */
  readonly among: readonly Candidate[];
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
  return { policy: policy?.key, scheme: spec.scheme, among: preferred(spec, sorted, source) };
}

function preferred({ scheme, sites = [], attributes = [] }: LoadBalancingSpec, sorted: readonly Candidate[], source: Attributes) {
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
  }
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
