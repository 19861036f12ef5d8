import type { Problem } from '../../errors.ts';
import { asObject, asText } from '../../naming/json.ts';
import { compareText } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import type { JsonObject } from '../../resource/resource.ts';
import { SERVICE_TAG } from '../match/proxy-tags.ts';
import type { EarlyPolicy } from './early-form.ts';

/** The early form's kinds of top-level targetRefs, weakest first. */
const EARLY_KINDS = ['Mesh', 'MeshSubset', 'Service', 'ServiceSubset', 'MeshGatewayRoute', 'HTTPRoute', 'Proxy'];

/** The names that the early form's kinds have today. Today's kinds keep theirs. */
const TODAY: Readonly<Record<string, string>> = { Service: 'MeshService', ServiceSubset: 'MeshServiceSubset', HTTPRoute: 'MeshHTTPRoute' };

/** A policy with the name and the top-level targetRef that it has today. */
export interface RankedPolicy {
  readonly policy: EarlyPolicy;
  readonly name: string;
  readonly targetRef: JsonObject;
}

/**
 * Names and targets that rank today as they did in the early form, where the greater name wins and Proxy is the most
 * specific kind. In: policies of one kind and mesh. Out: classes of those that today are told apart by their names
 * alone, each the weakest first.
 *
 *   Mesh 00-base, Mesh 01-more    -> Mesh r1-00-base, Mesh r0-01-more                 today the lesser name wins
 *   Service backend, Proxy dpp-1  -> MeshSubset {kuma.io/service: backend} r1-..,
 *                                    MeshSubset {kuma.io/display-name: dpp-1} r0-..
 *
 * The latter since a Dataplane ranks below services today: so all of them become subsets, of which the name decides.
 */
export function rankAsEarly(policies: readonly EarlyPolicy[]): { classes: RankedPolicy[][]; problems: Problem[] } {
  const kinds = policies.map(({ targetRef }) => earlyKind(targetRef));
  const proxies = kinds.includes('Proxy');
  const lift = proxies && kinds.some((kind) => ['MeshSubset', 'Service', 'ServiceSubset'].includes(kind));
  // Nothing of today ranks above a route.
  const isOutranked = ({ targetRef }: EarlyPolicy) => proxies && earlyKind(targetRef).endsWith('Route');
  const problems = policies.filter(isOutranked).map(({ index }) => ({
    field: `documents[${index}].targetRef.kind`,
    reason: 'a policy on a route wins over one on a proxy today, which it did not: convert the two apart, and decide which one shall win',
  }));
  const targets = policies
    .filter((policy) => !isOutranked(policy))
    .sort(compareEarly)
    .map((policy) => ({ policy, targetRef: toTarget(policy.targetRef, lift) }));
  return { classes: classesOf(targets), problems };
}

function classesOf(targets: readonly Omit<RankedPolicy, 'name'>[]): RankedPolicy[][] {
  const classes = new Map<string, Omit<RankedPolicy, 'name'>[]>();
  for (const target of targets) {
    const kind = asText(target.targetRef.kind) ?? '';
    const rank = kind.endsWith('Route') ? 'Route' : kind;
    classes.set(rank, [...(classes.get(rank) ?? []), target]);
  }
  return [...classes.values()].map(withNames);
}

/** The strongest gets the least number; alone it keeps its name. */
function withNames(members: readonly Omit<RankedPolicy, 'name'>[]): RankedPolicy[] {
  const width = String(members.length - 1).length;
  return members.map((member, index) => {
    const number = String(members.length - 1 - index).padStart(width, '0');
    return { ...member, name: members.length === 1 ? member.policy.name : `r${number}-${member.policy.name}` };
  });
}

function compareEarly(a: EarlyPolicy, b: EarlyPolicy): number {
  const rank = (policy: EarlyPolicy) => EARLY_KINDS.indexOf(earlyKind(policy.targetRef));
  return rank(a) - rank(b) || compareText(a.name, b.name);
}

/** The kind in the early form's words, whichever it was written with. */
function earlyKind({ kind }: JsonObject): string {
  if (kind === 'Dataplane') return 'Proxy';
  return Object.keys(TODAY).find((early) => TODAY[early] === kind) ?? asText(kind) ?? '';
}

/** What a kind of reference is called today. */
export function todaysKind(kind: string): string {
  return Object.hasOwn(TODAY, kind) ? (TODAY[kind] ?? kind) : kind;
}

function toTarget(ref: JsonObject, lift: boolean): JsonObject {
  const [kind, tags] = [earlyKind(ref), asObject(ref.tags) ?? {}];
  if (kind === 'Proxy' && ref.name !== undefined) {
    const itself = { [LABEL.displayName]: ref.name };
    return lift ? { kind: 'MeshSubset', tags: itself } : { kind: 'Dataplane', labels: itself };
  }
  if (!lift || (kind !== 'Service' && kind !== 'ServiceSubset')) return { ...ref, kind: todaysKind(kind) };
  return { kind: 'MeshSubset', tags: { ...tags, [SERVICE_TAG]: ref.name } };
}
