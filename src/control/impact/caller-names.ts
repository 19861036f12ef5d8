import { asArray, asObject } from '../../naming/json.ts';
import type { Permission } from '../../policy/decide/read-permissions.ts';
import { requiredSans, sansOf } from '../../policy/match/client-sans.ts';
import { textsOf } from '../../policy/match/proxy-tags.ts';
import type { Key } from '../../resource/key.ts';
import { LABEL } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import type { FromKind, TargetRef } from '../../resource/schema/reference-kinds.ts';
import { fromItemsOf, matchersOf } from '../../resource/permission-actions.ts';
import { foldMatch } from '../../resource/string-match.ts';
import { pathsOf } from './client-keys.ts';

/**
 * Clients that the permissions of an inbound name. `identity`: one SPIFFE ID; `prefix`: all that lie below one, but
 * those that are named more closely; `sans`: proxies with these URI SANs, as `from` names them by tags; `other`:
 * whoever is named nowhere.
 */
export interface NamedCallers {
  readonly kind: 'identity' | 'prefix' | 'sans' | 'other';
  /** '' for `sans` and `other`. */
  readonly spiffeId: string;
  /** Of `sans`: what they have; `spiffe://mesh/` stands for any identity of that mesh. */
  readonly sans: readonly string[];
  /** The URI SANs of one of them: what is decided for it holds for all. */
  readonly sample: readonly string[];
}

/** Everybody that permissions name, and the others: once each. */
export function namedBy(permissions: readonly Permission[]): NamedCallers[] {
  const found = permissions.flatMap(({ key, mtp }): UnsampledCallers[] => {
    const items = fromItemsOf(mtp).map(({ targetRef }) => fromItem(targetRef, targetRef.mesh ?? key.mesh));
    const ids = matchersOf(mtp).flatMap(({ spiffeId }) => spiffeId ?? []);
    return [...items, ...ids.map((id) => foldMatch(id, { Exact: identity, Prefix: below }))];
  });
  const distinct = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  const other = otherThan(distinct.flatMap(({ spiffeId, sans }) => [spiffeId, ...sans]));
  return [...distinct, EVERYBODY_ELSE].map((one) => sampled(one, other));
}

type UnsampledCallers = Omit<NamedCallers, 'sample'>;

const EVERYBODY_ELSE: UnsampledCallers = { kind: 'other', spiffeId: '', sans: [] };

function identity(spiffeId: string): UnsampledCallers {
  return { kind: 'identity', spiffeId, sans: [] };
}

function below(spiffeId: string): UnsampledCallers {
  return { kind: 'prefix', spiffeId, sans: [] };
}

/** Who has no other SANs is an identity, or all of a mesh. */
function fromItem(ref: TargetRef<FromKind>, mesh: string): UnsampledCallers {
  const required = requiredSans(ref, mesh);
  const [only, ...more] = required;
  if (only === undefined) return below(`spiffe://${mesh}`);
  const hasIdentity = required.some((san) => san.startsWith(`spiffe://${mesh}/`));
  if (hasIdentity && more.length === 0) return identity(only);
  return { kind: 'sans', spiffeId: '', sans: [...new Set([...(hasIdentity ? [] : [`spiffe://${mesh}/`]), ...required])].sort() };
}

function sampled(one: UnsampledCallers, other: string): NamedCallers {
  switch (one.kind) {
    case 'identity':
      return { ...one, sample: [one.spiffeId] };
    case 'prefix':
      return { ...one, sample: [`${one.spiffeId}/${other}`] };
    case 'sans':
      return { ...one, sample: one.sans.map((san) => (san.startsWith('spiffe://') && san.endsWith('/') ? `${san}${other}` : san)) };
    case 'other':
      return { ...one, sample: [`spiffe://${other}/${other}`] };
  }
}

/** `any`, and as many dashes that no text holds it. */
function otherThan(texts: readonly string[]): string {
  const dashes = texts.flatMap((text) => [...text.matchAll(/any(-*)/g)].map(([, found = '']) => found.length + 1));
  return `any${'-'.repeat(dashes.reduce((most, count) => Math.max(most, count), 0))}`;
}

/**
 * Finds those who are named less closely, the closest of them: everybody is one of the `other` clients, unless a prefix
 * holds it.
 *
 *   spiffe://td/ns/a  within  Prefix spiffe://td/ns,  that within  Prefix spiffe://td,  that within  other
 */
export function enclosing(named: readonly NamedCallers[]): (one: NamedCallers) => NamedCallers | undefined {
  const prefixes = new Map(named.filter(({ kind }) => kind === 'prefix').map((one) => [one.spiffeId, one]));
  const others = named.find(({ kind }) => kind === 'other');
  return (one) => {
    if (one.kind === 'other' || one.kind === 'sans') return undefined;
    const above = pathsOf(one.spiffeId).map((path) => prefixes.get(path));
    return above.find((prefix) => prefix !== undefined && prefix !== one) ?? others;
  };
}

/**
 * A proxy as a caller: the URI SANs of the certificate that its tags give it, with the zone and namespace that its key
 * proves.
 */
export function sansOfDataplane({ key, spec }: Pick<Resource, 'key' | 'spec'>): string[] {
  const networking = asObject(spec.networking);
  const tagged = [...asArray(networking?.inbound).map(asObject), asObject(networking?.gateway)];
  return [...new Set(tagged.flatMap((item) => (item ? sansOf(key.mesh, { ...textsOf(item.tags), ...proven(key) }) : [])))];
}

function proven({ zone, namespace }: Key): Record<string, string> {
  return { ...(zone === '' ? {} : { [LABEL.zone]: zone }), ...(namespace === '' ? {} : { [LABEL.namespace]: namespace }) };
}
