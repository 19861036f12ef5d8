import { type Permission, readPermissions } from '../../policy/decide/read-permissions.ts';
import type { RequestSubject } from '../../policy/decide/read-request.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import { comparePolicies } from '../../policy/match/policy-order.ts';
import type { Policy } from '../../policy/match/policy.ts';
import { type Inbound, type Proxy, readProxy } from '../../policy/match/read-proxy.ts';
import { type Match, matchInbound } from '../../policy/match/select-policies.ts';
import { keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { differing } from './changed-policies.ts';

/** What decides an inbound; where there is none, nobody gets in. */
export interface DecidingPermissions {
  readonly protocol: RequestSubject['protocol'];
  readonly permissions: readonly Permission[];
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
export function pairInbounds(before: MeshView, after: MeshView): InboundPair[] {
  const { targets, permissions } = differing(before, after);
  return targets ? pairAll(before, after) : pairTouched(before, after, permissions);
}

/**
 * Where permissions alone differ, the others select what they selected: they are matched once, and only where one that
 * differs selects.
 */
function pairTouched(before: MeshView, after: MeshView, differ: ReadonlySet<string>): InboundPair[] {
  const isOther = ({ resource }: Policy): boolean => !differ.has(keyId(resource.key));
  const others = before.permissions.filter(isOther);
  const [gone, come] = [before, after].map((view) => view.permissions.filter((policy) => !isOther(policy))) as [Policy[], Policy[]];
  const decide = createDeciding();
  return listening(before).flatMap(({ proxy, inbound, section }): InboundPair[] => {
    const match = (policies: readonly Policy[]) => matchInbound(policies, proxy, inbound, before.index);
    const [out, into] = [match(gone), match(come)];
    if (out.length === 0 && into.length === 0) return [];
    const stay = match(others);
    const inOrder = (more: readonly Match[]) => [...stay, ...more].sort((a, b) => comparePolicies(a.policy, b.policy));
    const { dataplane } = proxy;
    return [{ dataplane, section, before: decide(inbound, inOrder(out)), after: decide(inbound, inOrder(into)) }];
  });
}

function pairAll(before: MeshView, after: MeshView): InboundPair[] {
  const [was, willBe] = [decidedIn(before), decidedIn(after)];
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

function decidedIn(view: MeshView): Map<string, DecidedInbound> {
  const decide = createDeciding();
  const known = listening(view).map(({ id, proxy, inbound, section }): [string, DecidedInbound] => {
    const decided = decide(inbound, matchInbound(view.permissions, proxy, inbound, view.index));
    return [id, { dataplane: proxy.dataplane, section, decided }];
  });
  return new Map(known);
}

/** Reads the permissions that select inbounds: those of inbounds that the same ones select are one object. */
function createDeciding(): (inbound: Inbound, matches: readonly Match[]) => DecidingPermissions {
  const numbers = new Map<Policy, number>();
  const numberOf = (policy: Policy): number => {
    const number = numbers.get(policy) ?? numbers.size;
    numbers.set(policy, number);
    return number;
  };
  const known = new Map<string, DecidingPermissions>();
  return ({ protocol }, matches) => {
    const id = matches.reduce(
      (text, { policy, via }) => `${text},${numberOf(policy)}${via ? JSON.stringify(via) : ''}`,
      protocol as string,
    );
    const decided = known.get(id) ?? { protocol, permissions: readPermissions(matches) };
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

/** The ports that proxies listen on. Two of a proxy may have one name. */
export function listening(view: MeshView): ListeningPort[] {
  return view.dataplanes.flatMap((dataplane) => {
    const proxy = readProxy(dataplane, view.index);
    const inbounds = proxy.inbounds.filter(({ port }) => port !== undefined);
    return inbounds.map((inbound, index) => {
      const section = sectionOf(inbound);
      const earlier = inbounds.slice(0, index).filter((other) => sectionOf(other) === section).length;
      return { id: `${keyId(dataplane.key)} ${section} ${earlier}`, proxy, inbound, section };
    });
  });
}
