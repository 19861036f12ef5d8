import { addHash, type Digest, EMPTY_DIGEST, formatDigest, subtractHash } from '../../kds/digest.ts';
import { hashOfRefusal } from '../../kds/refusal.ts';
import { keyFromTuple } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import type { Refusal, RefusalSum } from '../../resource/store/store.ts';
import type { Connection } from '../connection.ts';
import { KEY_COLUMNS } from '../resources/key-table.ts';

/** Of a refusal what its digest is made of, and the bytes of what was refused. */
type RefusedBytes = Pick<Refusal, 'key' | 'hash' | 'reason' | 'inForce'> & { readonly bytes: number };

/**
 * What each peer's refusals add up to, at O(1): read when it is first asked for, and kept up from then on.
 *
 *   read                     east: 2, H(a) + H(b)
 *   b is accepted            east: 1, H(a)
 *   rolled back              read again, when it is next asked for
 */
export interface RefusalSums {
  of(peer: string): RefusalSum;
  /** How many are of each kind; those that are not known are `unknown`. */
  byType(peer: string): ReadonlyMap<string, number>;
  /** The peers of whose feeds something is refused. */
  peers(): readonly string[];
  /** Whether it matters what is replaced in a peer's mirror. */
  isCounting(peer: string): boolean;
  /** Something took the place of something else; undefined: of that, nothing is refused. */
  replace(peer: string, before: RefusedBytes | undefined, after: RefusedBytes | undefined): void;
  /** The store may be another one than was counted. */
  forget(): void;
}

interface RunningSum {
  count: number;
  bytes: number;
  digest: Digest;
  readonly types: Map<string, number>;
}

type RefusalSumRow = [peer: string, hash: string, reason: string, inForce: Refusal['inForce'], bytes: number, ...key: string[]];

const NOTHING: RefusalSum = { count: 0, bytes: 0, digest: '' };
const REFUSED = `
  SELECT m.peer, m.refused_hash, m.refused_reason, m.in_force, octet_length(m.wire), ${KEY_COLUMNS}
  FROM mirror m JOIN keys k ON k.id = m.key WHERE m.refused_hash IS NOT NULL`;

export function createRefusalSums(db: Connection): RefusalSums {
  const select = db.prepare<[], RefusalSumRow>(REFUSED).raw();
  let known: Map<string, RunningSum> | undefined;

  function read(): Map<string, RunningSum> {
    const sums = new Map<string, RunningSum>();
    for (const [peer, hash, reason, inForce, bytes, ...key] of select.iterate() as Iterable<RefusalSumRow>) {
      const [type = '', mesh = '', zone = '', namespace = '', name = ''] = key;
      change(sums, peer, { key: keyFromTuple([type, mesh, zone, namespace, name]), hash, reason, inForce, bytes }, 1);
    }
    known = sums;
    return sums;
  }

  return {
    of(peer) {
      const sum = (known ?? read()).get(peer);
      return sum ? { count: sum.count, bytes: sum.bytes, digest: formatDigest(sum.digest) } : NOTHING;
    },
    byType: (peer) => new Map((known ?? read()).get(peer)?.types),
    peers: () => [...(known ?? read()).keys()],
    isCounting: (peer) => known?.has(peer) === true,
    replace(peer, before, after) {
      if (!known) return;
      if (before) change(known, peer, before, -1);
      if (after) change(known, peer, after, 1);
    },
    forget: () => {
      known = undefined;
    },
  };
}

function change(sums: Map<string, RunningSum>, peer: string, refused: RefusedBytes, by: 1 | -1): void {
  const sum = sums.get(peer) ?? { count: 0, bytes: 0, digest: EMPTY_DIGEST, types: new Map<string, number>() };
  sum.count += by;
  sum.bytes += by * refused.bytes;
  sum.digest = (by > 0 ? addHash : subtractHash)(sum.digest, hashOfRefusal(refused));
  const type = findKind(refused.key.type)?.type ?? 'unknown';
  const ofType = (sum.types.get(type) ?? 0) + by;
  if (ofType > 0) sum.types.set(type, ofType);
  else sum.types.delete(type);
  if (sum.count > 0) sums.set(peer, sum);
  else sums.delete(peer);
}
