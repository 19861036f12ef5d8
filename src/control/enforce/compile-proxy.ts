import { isDeepStrictEqual } from 'node:util';
import { sameKey } from '../../resource/key.ts';
import type { CallerMap } from '../../policy/callers/caller-verdicts.ts';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import type { Inbound } from '../../policy/match/read-proxy.ts';
import type { Resource } from '../../resource/resource.ts';
import { type Plaintext, STRICT } from '../../policy/mesh-tls.ts';
import { whyTooMany } from '../../policy/rbac/request-regions.ts';
import { asMeridianError } from '../../errors.ts';
import { lettingNobodyIn, type ListenAddress, type PlacedInbound, SEEN_AS } from '../mesh/listen-address.ts';
import type { GatewayRules, InboundRules, ProxyRules } from './proxy-rules.ts';
import type { SharedRbac } from './shared-rbac.ts';

/** An inbound with what decides it, in order, or why nobody gets in there; or why it is not served. */
export type CompileInput =
  | {
      readonly place: ListenAddress;
      readonly permissions: readonly Permission[];
      /** What access policies decide, if any selects it. */
      readonly callers: CallerMap | undefined;
      /** The MeshServices that lead there. */
      readonly services: readonly Resource[];
      readonly plaintext: Plaintext;
      /** Of a gateway's listener. */
      readonly served?: GatewayRules | undefined;
      readonly shut?: string | undefined;
    }
  | { readonly problem: string };

type ServedInbound = Extract<CompileInput, { readonly place: ListenAddress }>;

/** What one proxy enforces, compiled again as far as it changed. */
export class ProxyCompiler {
  readonly #rbac: SharedRbac;
  readonly #gatewayRbac: SharedRbac;
  #given: readonly CompileInput[] = [];
  #rules: ProxyRules | undefined;

  /** `gatewayRbac`: for the listeners of gateways. */
  constructor(rbac: SharedRbac, gatewayRbac: SharedRbac) {
    this.#rbac = rbac;
    this.#gatewayRbac = gatewayRbac;
  }

  /** The same object as last time if nothing changed. */
  compile(given: readonly CompileInput[]): ProxyRules {
    if (this.#rules && isSame(this.#given, given)) return this.#rules;
    const inbounds = given.flatMap((one, index) => ('place' in one ? [inboundRules(one, this.#given[index], this.#rbacOf(one))] : []));
    const problems = [
      ...given.flatMap((one) => ('problem' in one ? [one.problem] : [])),
      ...inbounds.flatMap(({ name, shut }) => (shut === undefined ? [] : [lettingNobodyIn(name, shut)])),
    ];
    this.#given = given;
    const warnings = given.flatMap((one) => ('place' in one ? warningsOf(one).map((text) => `${one.place.name}: ${text}`) : []));
    this.#rules = { inbounds, problems, warnings };
    return this.#rules;
  }

  #rbacOf({ place }: ServedInbound): SharedRbac {
    return place.gateway ? this.#gatewayRbac : this.#rbac;
  }
}

function warningsOf({ callers, services, plaintext, served }: ServedInbound): readonly string[] {
  if (served) return [...plaintext.warnings, ...served.warnings];
  if (!callers || services.length < 2) return plaintext.warnings;
  const names = services.map(({ key }) => key.name).join(', ');
  return [...plaintext.warnings, `callers of other zones are denied, since Envoy can't tell which of the services they call: ${names}`];
}

/** One that can't be compiled is shut, and holds up no other. */
function inboundRules(decided: ServedInbound, before: CompileInput | undefined, rbac: SharedRbac): InboundRules {
  const { place, permissions, callers, services, plaintext, served, shut } = decided;
  if (shut !== undefined) return shutAt(place, shut);
  const protocol = SEEN_AS[place.protocol];
  try {
    const { alone, routes } = rbac.compile({ permissions, callers }, protocol, before && 'place' in before ? before : undefined);
    const rules = { ...place, rbac: alone, plaintextToo: plaintext.taken, routes };
    const all = served ? { ...rules, served } : rules;
    return callers ? { ...all, asked: services.map(({ key }) => key) } : all;
  } catch (thrown) {
    return shutAt(place, asMeridianError(thrown).message);
  }
}

/** Without rules Envoy's filter denies. */
function shutAt(place: ListenAddress, reason: string): InboundRules {
  return { ...place, rbac: { rules: {} }, plaintextToo: false, routes: [], shut: reason };
}

/** Puts to each inbound that has a place what decides it. */
export function decided(
  placed: readonly PlacedInbound[],
  decidedOn: (inbound: Inbound) => Omit<ServedInbound, 'place' | 'shut'>,
): CompileInput[] {
  return placed.map((one) => {
    if ('problem' in one) return { problem: one.problem };
    const { inbound, place, shut } = one;
    const closed = (reason: string): CompileInput => ({
      place,
      permissions: [],
      callers: undefined,
      services: [],
      plaintext: STRICT,
      shut: reason,
    });
    if (shut !== undefined) return closed(shut);
    try {
      const found = decidedOn(inbound);
      return { place, ...found, shut: whyOverPart(inbound, found) };
    } catch (thrown) {
      return closed(asMeridianError(thrown).message);
    }
  });
}

/** Of listeners that share a port each has a part of what an inbound takes, which is counted before it is compiled. */
function whyOverPart(inbound: Inbound, { permissions, callers }: Pick<ServedInbound, 'permissions' | 'callers'>): string | undefined {
  return (inbound.sharing ?? 1) > 1 ? whyTooMany(permissions, inbound, callers?.size ?? 0) : undefined;
}

function isSameService(one: Resource | undefined, other: Resource): boolean {
  return one !== undefined && (one === other || sameKey(one.key, other.key));
}

/** What was read once is one object: a look at it suffices. */
function isSame(before: readonly CompileInput[], now: readonly CompileInput[]): boolean {
  return before.length === now.length && now.every((one, index) => isSameInbound(before[index], one));
}

function isSameInbound(before: CompileInput | undefined, now: CompileInput): boolean {
  if (!before || 'problem' in before || 'problem' in now) return isDeepStrictEqual(before, now);
  const { permissions } = before;
  if (!isDeepStrictEqual([before.place, before.plaintext, before.served, before.shut], [now.place, now.plaintext, now.served, now.shut]))
    return false;
  if (permissions.length !== now.permissions.length || before.callers !== now.callers) return false;
  if (
    before.services.length !== now.services.length ||
    !now.services.every((service, index) => isSameService(before.services[index], service))
  )
    return false;
  return now.permissions.every((permission, index) => {
    const other = permissions[index];
    if (other === permission) return true;
    const { key, mtp, via } = permission;
    return other?.mtp === mtp && isDeepStrictEqual([other.key, other.via], [key, via]);
  });
}
