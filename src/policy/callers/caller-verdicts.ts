import { type AccessPolicy, concerns } from '../access/access-policies.ts';
import { selects } from '../access/attribute-selector.ts';
import type { Attributes } from '../access/attributes.ts';
import { decideAccess } from '../access/decide-access.ts';
import { compareKeys, type Key, sameKey } from '../../resource/key.ts';
import type { CalledDestination } from './called-services.ts';

/** What access policies decide about one caller at an inbound. */
export interface CallerVerdict {
  readonly allowed: boolean;
  /** Whether a PrivilegedAccessPolicy decided. */
  readonly privileged: boolean;
  /** undefined: none did, so that it is denied. */
  readonly decidedBy: Key | undefined;
  /** Whether proxies that share the identity are not decided alike. */
  readonly mixed: boolean;
}

/**
 * What access policies decide about the callers that are known at an inbound that some of them select, by SPIFFE ID.
 * Whoever is not among them is denied.
 */
export type CallerVerdicts = Pick<CallerMap, 'get' | 'size'>;

/** The same of all of them. */
export type CallerMap = ReadonlyMap<string, CallerVerdict>;

/** Who is known, by identity: the attributes of each proxy that has it. */
export interface KnownCallers {
  /** How many identities there are. */
  readonly size: number;
  with(spiffeId: string): readonly Attributes[];
}

/**
 * Whether policies say who may reach a service. A policy that can't be read, or of which a selector can't, may mean any
 * service; so may one whose service isn't known.
 */
export function isSelected(policies: readonly AccessPolicy[], destination: CalledDestination): boolean {
  return policies.some((policy) => !policy.shadow && maySelect(policy, destination));
}

export function maySelect({ key, selecting }: AccessPolicy, { namespace, attributes }: CalledDestination): boolean {
  return concerns(key, namespace) && (attributes === undefined || selects(selecting, attributes));
}

/**
 * Decides about callers as they are asked for, by what policies decide about connections (decideAccess). undefined: no
 * policy selects any of the destinations that an inbound is.
 *
 *   allow k8s:label:app=web to ledger, asked at ledger for the identity of web-1  ->  allowed
 *   for an identity that web-1 and evil-1 share                                   ->  denied
 */
export function callerVerdicts(
  policies: readonly AccessPolicy[],
  destinations: readonly CalledDestination[],
  callers: KnownCallers,
): CallerVerdicts | undefined {
  const selected = destinations.filter((destination) => isSelected(policies, destination));
  if (selected.length === 0) return undefined;
  return {
    size: callers.size,
    get: (id) => strictest(callers.with(id).flatMap((source) => selected.map((destination) => decideOne(policies, source, destination)))),
  };
}

const NOBODY: CallerVerdict = { allowed: false, privileged: false, decidedBy: undefined, mixed: false };

function decideOne(policies: readonly AccessPolicy[], source: Attributes, { attributes, namespace }: CalledDestination): CallerVerdict {
  if (!attributes) return NOBODY;
  const { allowed, privileged, decidedBy } = decideAccess(policies, { source, destination: attributes, namespace });
  return { allowed, privileged, decidedBy, mixed: false };
}

/**
 * One verdict for proxies that share an identity, and for services that share an inbound: it is allowed only where each
 * is. Whatever their order, it is the same. undefined: there are none.
 */
export function strictest(verdicts: readonly CallerVerdict[]): CallerVerdict | undefined {
  const [first, ...others] = verdicts;
  if (!first) return undefined;
  const worst = others.reduce((one, other) => (compareVerdicts(other, one) < 0 ? other : one), first);
  const mixed = verdicts.some((one) => one.mixed || one.allowed !== first.allowed);
  return worst.mixed === mixed ? worst : { ...worst, mixed };
}

function compareVerdicts(one: CallerVerdict, other: CallerVerdict): number {
  const [a, b] = [one.decidedBy, other.decidedBy];
  return rank(one) - rank(other) || (a && b ? compareKeys(a, b) : 0);
}

function rank({ allowed, privileged, decidedBy }: CallerVerdict): number {
  if (allowed) return 3;
  if (privileged) return 0;
  return decidedBy ? 1 : 2;
}

/**
 * Equal for two clients about whom the same is decided, as far as access policies do: a client with one identity may be
 * one of the callers that are known.
 */
export function verdictId(callers: CallerVerdicts | undefined, sans: readonly string[]): string {
  const [id = ''] = sans;
  const verdict = sans.length === 1 ? callers?.get(id) : undefined;
  return verdict ? JSON.stringify([verdict.allowed, verdict.privileged, verdict.mixed, verdict.decidedBy ?? null]) : '';
}

export function isSameVerdict(one: CallerVerdict | undefined, other: CallerVerdict | undefined): boolean {
  if (!one || !other) return one === other;
  const { allowed, privileged, decidedBy, mixed } = one;
  return allowed === other.allowed && privileged === other.privileged && mixed === other.mixed && isSamePolicy(decidedBy, other.decidedBy);
}

function isSamePolicy(one: Key | undefined, other: Key | undefined): boolean {
  return one === other || (one !== undefined && other !== undefined && sameKey(one, other));
}
