import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { RequestSubject } from '../../policy/decide/read-request.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { comparePolicies } from '../../policy/match/policy-order.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import type { SelectingPolicy } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';
import type { CallersEverywhere } from '../mesh/mesh-access.ts';
import { createSelectionIds } from '../mesh/selection-ids.ts';
import { matchInSteps } from '../mesh/match-in-steps.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { differing } from './changed-policies.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** What decides an inbound; where there is none, nobody gets in. */
export interface DecidingPermissions {
  readonly protocol: RequestSubject['protocol'];
  readonly permissions: readonly Permission[];
  /** What access policies decide, if any selects it. */
  readonly callers: CallerMap | undefined;
}

/** What access policies decide before and after. */
export interface CallersPair {
  readonly before: CallersEverywhere;
  readonly after: CallersEverywhere;
}

/** A port of a proxy, as it was and as it would be; undefined: it is not there. */
export interface InboundPair {
  readonly dataplane: Resource;
  /** Its name, else its port. */
  readonly section: string;
  readonly before: DecidingPermissions | undefined;
  readonly after: DecidingPermissions | undefined;
}

/**
 * The inbounds of the proxies of a mesh, before and after a change. Those that the change of a permission doesn't touch
 * are left out.
 */
export function* pairInbounds(before: MeshView, after: MeshView, callers: CallersPair): Parts<InboundPair[]> {
  const { targets, permissions } = yield* differing(before, after);
  return yield* targets ? pairAll(before, after, callers) : pairTouched(before, after, permissions, callers);
}

/**
 * Where permissions alone differ, the others select what they selected: they are matched once, and only where one that
 * differs selects.
 */
function* pairTouched(before: MeshView, after: MeshView, differ: ReadonlySet<string>, callers: CallersPair): Parts<InboundPair[]> {
  const isOther = ({ resource }: Policy): boolean => !differ.has(keyId(resource.key));
  const others = before.permissions.filter(isOther);
  const [gone, come] = [before, after].map((view) => view.permissions.filter((policy) => !isOther(policy))) as [Policy[], Policy[]];
  const decide = createDeciding();
  const pairs: InboundPair[] = [];
  for (const { proxy, inbound, section } of listening(before)) {
    const match = (policies: readonly Policy[]) => matchInSteps(policies, proxy, inbound, before.index);
    const [out, into] = [yield* match(gone), yield* match(come)];
    if (out.length === 0 && into.length === 0) continue;
    const stay = yield* match(others);
    const inOrder = (more: readonly SelectingPolicy[]) => merged(stay, more);
    const { dataplane } = proxy;
    const known = callers.before.at(proxy, inbound);
    pairs.push({ dataplane, section, before: decide(inbound, inOrder(out), known), after: decide(inbound, inOrder(into), known) });
    yield;
  }
  return pairs;
}

/** Two lists in order as one. */
function merged(one: readonly SelectingPolicy[], other: readonly SelectingPolicy[]): SelectingPolicy[] {
  const all: SelectingPolicy[] = [];
  let at = 0;
  for (const match of one) {
    for (let next = other[at]; next && comparePolicies(next.policy, match.policy) < 0; next = other[++at]) all.push(next);
    all.push(match);
  }
  return all.concat(other.slice(at));
}

function* pairAll(before: MeshView, after: MeshView, callers: CallersPair): Parts<InboundPair[]> {
  const [was, willBe] = [yield* decidedIn(before, callers.before), yield* decidedIn(after, callers.after)];
  const ids = new Set([...willBe.keys(), ...was.keys()]);
  return [...ids].flatMap((id) => {
    const [earlier, later] = [was.get(id), willBe.get(id)];
    const known = later ?? earlier;
    return known ? [{ dataplane: known.dataplane, section: known.section, before: earlier?.decided, after: later?.decided }] : [];
  });
}

interface DecidedInbound {
  readonly dataplane: Resource;
  readonly section: string;
  readonly decided: DecidingPermissions;
}

function* decidedIn(view: MeshView, callers: CallersEverywhere): Parts<Map<string, DecidedInbound>> {
  const decide = createDeciding();
  const known = new Map<string, DecidedInbound>();
  for (const { id, proxy, inbound, section } of listening(view)) {
    const matches = yield* matchInSteps(view.permissions, proxy, inbound, view.index);
    const decided = decide(inbound, matches, callers.at(proxy, inbound));
    known.set(id, { dataplane: proxy.dataplane, section, decided });
  }
  return known;
}

/** Reads the permissions that select inbounds: those of inbounds that the same ones select are one object. */
function createDeciding(): (inbound: Inbound, matches: readonly SelectingPolicy[], callers: CallerMap | undefined) => DecidingPermissions {
  const selectionId = createSelectionIds();
  const known = new Map<string, DecidingPermissions>();
  return ({ protocol }, matches, callers) => {
    const id = `${protocol} ${selectionId(matches, callers)}`;
    const decided = known.get(id) ?? { protocol, permissions: readPermissions(matches), callers };
    known.set(id, decided);
    return decided;
  };
}

export interface ListeningPort {
  readonly id: string;
  readonly proxy: Proxy;
  readonly inbound: Inbound;
  readonly section: string;
}

/** The ports that proxies listen on, each read when it is asked for. Two of a proxy may have one name. */
export function* listening(view: MeshView): Generator<ListeningPort> {
  for (const dataplane of view.dataplanes) {
    const proxy = readProxy(dataplane, view.index);
    const inbounds = proxy.inbounds.filter(({ port }) => port !== undefined);
    for (const [index, inbound] of inbounds.entries()) {
      const section = sectionOf(inbound);
      const earlier = inbounds.slice(0, index).filter((other) => sectionOf(other) === section).length;
      yield { id: `${keyId(dataplane.key)} ${section} ${earlier}`, proxy, inbound, section };
    }
  }
}
