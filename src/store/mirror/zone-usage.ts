import type { Holding } from '../../resource/store/store.ts';
import type { Connection } from '../connection.ts';

/**
 * What each zone takes up here, at O(1): the sums are read when they are first asked for (on global, where they count),
 * and kept up from then on.
 *
 *   read             east: 2 resources, 900 bytes
 *   put of 400 more  east: 3 resources, 1,300 bytes
 *   rolled back      as before; read again where the transaction itself had read them
 */
export interface ZoneUsage {
  of(zone: string): Holding;
  /** Something of `zone` came (positive) or went. Nothing happens before the first `of`. */
  add(zone: string, change: Partial<Holding>): void;
  /** A transaction begins, or one body of several in it. */
  begun(what: RolledBack): void;
  /** It was rolled back. */
  rolledBack(what: RolledBack): void;
  /** Before the first `of` nobody needs to know the size of what is replaced. */
  isCounting(): boolean;
  /** The sums, if they were read. */
  known(): ReadonlyMap<string, Holding> | undefined;
  /** What another connection knows of the same store is known here. */
  takeOver(other: ZoneUsage): void;
}

/** All of a transaction, or one body of several. */
export type RolledBack = 'transaction' | 'body';

const NOTHING: Holding = { resources: 0, bytes: 0, mirrored: 0, mirroredBytes: 0, keys: 0, names: 0 };

/** Of `resources` the bytes of what it says, in `mirror` those that were sent. */
const SUMS = [
  `SELECT zone, count(*) AS resources, sum(octet_length(labels) + octet_length(spec) + ifnull(octet_length(status), 0)) AS bytes
   FROM resources GROUP BY zone`,
  'SELECT peer AS zone, count(*) AS mirrored, sum(octet_length(wire)) AS mirroredBytes FROM mirror GROUP BY peer',
  'SELECT zone, count(*) AS keys FROM keys GROUP BY zone',
  'SELECT k.zone, count(*) AS names FROM names n JOIN keys k ON k.id = n.key GROUP BY k.zone',
];

type ZoneSum = Partial<Holding> & { readonly zone: string };

export function createZoneUsage(db: Connection): ZoneUsage {
  const sums = SUMS.map((sql) => db.prepare<[], ZoneSum>(sql));
  let known: Map<string, Holding> | undefined;
  /** The sums of what changed since then, as they were. */
  const before = { transaction: new Map<string, Holding>(), body: new Map<string, Holding>() };
  let readWithin = false;

  function add(zone: string, change: Partial<Holding>): void {
    if (!known) return;
    const held = known.get(zone) ?? NOTHING;
    for (const sums of [before.transaction, before.body]) if (!sums.has(zone)) sums.set(zone, held);
    const more = (field: keyof Holding): number => held[field] + (change[field] ?? 0);
    known.set(zone, {
      resources: more('resources'),
      bytes: more('bytes'),
      mirrored: more('mirrored'),
      mirroredBytes: more('mirroredBytes'),
      keys: more('keys'),
      names: more('names'),
    });
  }

  function read(): Map<string, Holding> {
    known = new Map();
    readWithin = db.inTransaction;
    for (const sum of sums) for (const { zone, ...found } of sum.all()) add(zone, found);
    return known;
  }

  return {
    of: (zone) => (known ?? read()).get(zone) ?? NOTHING,
    add,
    begun(what) {
      before.body.clear();
      if (what === 'body') return;
      before.transaction.clear();
      readWithin = false;
    },
    rolledBack(what) {
      if (readWithin) known = undefined;
      for (const [zone, held] of before[what]) known?.set(zone, held);
    },
    isCounting: () => known !== undefined,
    known: () => known,
    takeOver(other) {
      const others = other.known();
      known = others && new Map(others);
    },
  };
}
