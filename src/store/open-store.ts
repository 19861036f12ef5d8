import type { Reader, Store, Transaction } from '../resource/store/store.ts';
import { createAudit } from './audit-log.ts';
import { createCommits, type Commits } from './store-commits.ts';
import { createPrivate, openBeside, openDatabase, refuseShort, requireDurable, storeError, withoutWal } from './database.ts';
import type { Connection } from './connection.ts';
import { createFeed, readSums } from './feed/feed.ts';
import { emptyDigests, type FeedDigests, replaceDigests } from './feed/feed-digests.ts';
import { createTombstones } from './resources/tombstones.ts';
import { createHistory } from './resources/change-history.ts';
import { createSent } from './feed/withdrawals.ts';
import { createZoneUsage, type ZoneUsage } from './mirror/zone-usage.ts';
import { createKeys } from './resources/key-table.ts';
import { createList } from './resources/list-resources.ts';
import { lockFolder } from './folder-lock.ts';
import { createLog } from './feed/change-log.ts';
import { createMirror } from './mirror/mirror.ts';
import { createNames } from './resources/assigned-names.ts';
import { readable } from './readable-store.ts';
import { createRefusalSums } from './mirror/refusal-sums.ts';
import { createPositions } from './mirror/peer-positions.ts';
import { createReferences } from './resources/reference-table.ts';
import { createResourceReader, createResourceWriter } from './resources/resource-table.ts';
import { createSettings, initSettings } from './store-settings.ts';
import { clearStaging } from './mirror/staged-items.ts';
import { commitAtOnce, createPartCommits, type Writer } from './part-commits.ts';
import { createForgetUnused } from './mirror/key-collection.ts';

export interface StoreOptions {
  /** Random hex digits, others each time: the id of a new store, and its secret. */
  readonly random: () => string;
}

export interface SqliteStore extends Store {
  /**
   * The bytes of the database as it is now: a backup, for `openSnapshot`, or to be written to a file that has no `-wal`
   * of another database beside it.
   */
  snapshot(): Buffer;
}

/**
 * Opens the store in the file `path`, or makes one; `:memory:` for one that is gone when closed. The folder is made
 * (mode 0700) if there is none, and locked until `close` or the end of the process; the files have mode 0600. Throws
 * `conflict` if another process has the folder, `invalid` if the file is damaged or not ours, `unavailable` if it can't
 * be read or written.
 */
export function openStore(path: string, options: StoreOptions): SqliteStore {
  if (path === ':memory:') return createStore(openDatabase(path), options, () => {});
  let unlock = (): void => {};
  try {
    unlock = lockFolder(path);
    createPrivate(path);
    refuseShort(path);
    return createStore(openDatabase(path), options, unlock);
  } catch (thrown) {
    unlock();
    throw storeError(thrown, path);
  }
}

/** A store in memory that begins with a backup: same id, same term, same revision. Errors as `openStore`. */
export function openSnapshot(bytes: Buffer, options: StoreOptions): SqliteStore {
  try {
    return createStore(openDatabase(withoutWal(bytes)), options, () => {});
  } catch (thrown) {
    throw storeError(thrown, 'the backup');
  }
}

/** A store on an open database. `unlock` is called once it is closed. */
export function createStore(db: Connection, options: StoreOptions, unlock: () => void): SqliteStore {
  try {
    prepare(db, options);
    const main = connect(db, readSums(db));
    const { close, ...commits } = db.memory ? inMemory(main) : inFile(main);
    return {
      ...readable(main.reader, db.name),
      ...commits,
      snapshot: () => db.serialize(),
      close() {
        close();
        db.close();
        unlock();
      },
    };
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** The first write. */
function prepare(db: Connection, { random }: StoreOptions): void {
  db.transaction(() => {
    initSettings(db, random(), random());
    clearStaging(db);
  }).immediate();
  requireDurable(db);
}

type CommitMethods = Pick<Store, 'commit' | 'commitEach' | 'commitInParts' | 'isFree' | 'whenFree' | 'toDisk' | 'close'>;

function inMemory({ transaction, ...main }: OpenConnection): CommitMethods {
  const commit: Store['commit'] = (body, durability) => main.commit(() => body(transaction), durability);
  const commitEach: Store['commitEach'] = (bodies) => main.commitEach(bodies.map((body) => () => body(transaction)));
  return { commit, commitEach, ...commitAtOnce(commit), toDisk: main.toDisk, close: () => {} };
}

function inFile(main: OpenConnection): CommitMethods {
  const { alone, ...parts } = createPartCommits(main, () => connect(openBeside(main.db), emptyDigests()));
  const { transaction } = main;
  return {
    ...parts,
    toDisk: main.toDisk,
    commit: (body, durability) => alone(() => main.commit(() => body(transaction), durability)),
    commitEach: (bodies) => alone(() => main.commitEach(bodies.map((body) => () => body(transaction)))),
  };
}

/** What a connection remembers of the database, so that it is not read each time. */
interface ConnectionMemory {
  readonly sums: FeedDigests;
  readonly holdings: ZoneUsage;
  /** What was read may be another now. */
  forget(): void;
}

interface OpenConnection extends Writer, Pick<Commits, 'commit' | 'commitEach'> {
  readonly db: Connection;
  readonly reader: Reader;
  readonly memory: ConnectionMemory;
  takeOver(other: OpenConnection): void;
}

function connect(db: Connection, sums: FeedDigests): OpenConnection {
  const settings = createSettings(db);
  const log = createLog(db, settings);
  const holdings = createZoneUsage(db);
  const keys = createKeys(db, holdings);
  const positions = createPositions(db);
  const refusals = createRefusalSums(db);
  const { forget: forgetPast, keep: keepPast, ...feed } = createFeed(db, settings, log, sums);
  const { commit, commitEach, inParts, toDisk, ...commits } = createCommits(db, settings, log, sums, () => {
    forgetPast();
    positions.rolledBack();
    keys.forget();
    holdings.forget();
    refusals.forget();
  });
  const { assignName, ...names } = createNames(db, keys, holdings);
  const { setReferences, ...references } = createReferences(db, keys);
  const mirror = createMirror(db, keys, positions, holdings, refusals);
  const gone = createTombstones(db, settings);
  const audit = createAudit(db);
  const reader: Reader = {
    head: settings.head,
    setting: settings.get,
    settingsFrom: settings.namesFrom,
    list: createList(db),
    feed,
    history: createHistory(db, keys, gone),
    sent: createSent(db),
    audit: audit.reader,
    ...createResourceReader(db, keys),
    ...names,
    ...references,
    mirror,
    holding: holdings.of,
  };
  const transaction: Transaction = {
    ...reader,
    ...createResourceWriter(db, keys, commits, gone, holdings),
    get revision() {
      return commits.revision();
    },
    assignName,
    forgetUnused: createForgetUnused(db, keys, holdings),
    setReferences,
    setSetting: settings.set,
    recordAudit: audit.record,
    mirror,
  };
  const memory: ConnectionMemory = {
    sums,
    holdings,
    forget() {
      settings.rolledBack();
      positions.rolledBack();
      keys.forget();
      refusals.forget();
      gone.recount();
    },
  };
  return {
    ...{ db, reader, transaction, memory, commit, commitEach, inParts, toDisk },
    keepPast: () => keepPast(settings.head().revision),
    close: () => db.close(),
    takeOver({ memory: other }) {
      memory.forget();
      replaceDigests(sums, other.sums);
      holdings.takeOver(other.holdings);
    },
  };
}
