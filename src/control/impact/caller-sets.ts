import { keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { spiffeIdOfDataplane } from '../../policy/callers/caller-identity.ts';
import { sansOfDataplane } from './caller-names.ts';
import type { CallersEverywhere } from '../mesh/mesh-access.ts';
import type { CallersPair } from './inbound-pairs.ts';
import type { ComparedClient } from './compare-verdicts.ts';
import { countingKeys } from './permission-rules.ts';
import type { Parts } from '../../resource/store/parts.ts';

/** Proxies that no policy tells apart as callers. */
export interface CallerSet {
  /**
   * Which certificate they show: the one that their tags make (several URI SANs), or the one with their SPIFFE ID
   * alone.
   */
  readonly by: 'tags' | 'spiffeId';
  /** The URI SANs of the certificate of the first of them. */
  readonly sans: readonly string[];
  readonly dataplanes: readonly Resource[];
}

/** The same, as clients before and after a change. */
export interface CallerPair extends CallerSet {
  readonly was: ComparedClient;
  readonly is: ComparedClient;
}

/**
 * The proxies of a mesh as callers. `asked`: the keys that permissions ask for. One that is new was nobody else before,
 * though no access policy knew it.
 */
export function* pairCallers(before: MeshView, after: MeshView, asked: ReadonlySet<string>, callers: CallersPair): Parts<CallerPair[]> {
  const earlier = new Map(before.dataplanes.map((dataplane) => [keyId(dataplane.key), dataplane]));
  const sets = new Map<string, CallerPair & { dataplanes: Resource[] }>();
  for (const dataplane of after.dataplanes) {
    yield;
    for (const by of ['tags', 'spiffeId'] as const) {
      const known = earlier.get(keyId(dataplane.key));
      const is = toClient(dataplane, by, asked, callers.after);
      const was = toClient(known ?? dataplane, by, asked, callers.before);
      // Without a URI SAN it has no identity to be known by.
      if (is.sans.length === 0 || was.sans.length === 0) continue;
      const id = JSON.stringify([by, ...[was, is].map(({ sans, keys }) => [sans.length > 1, keys])]);
      const set = sets.get(id);
      if (set) set.dataplanes.push(dataplane);
      else sets.set(id, { by, was, is, sans: is.sans, dataplanes: [dataplane] });
    }
  }
  return [...sets.values()];
}

/** The URI SANs that a proxy shows; none where it has no SPIFFE ID that can be written. */
export function sansShown(dataplane: Resource, by: CallerSet['by']): string[] {
  if (by === 'tags') return sansOfDataplane(dataplane);
  const spiffeId = spiffeIdOfDataplane(dataplane);
  return spiffeId === undefined ? [] : [spiffeId];
}

function toClient(dataplane: Resource, by: CallerSet['by'], asked: ReadonlySet<string>, callers: CallersEverywhere): ComparedClient {
  const sans = sansShown(dataplane, by);
  // Access policies know proxies by their SPIFFE ID alone.
  return { sans, keys: [...countingKeys(sans, asked), ...(by === 'spiffeId' ? [callers.classOf(dataplane)] : [])] };
}
