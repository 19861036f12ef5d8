import { beginEpoch, type Identity } from '../../src/control/plane/process-identity.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { retryAllRefused } from '../../src/control/receive/retry-refused.ts';
import { Sync } from '../../src/control/sync/sync.ts';
import { recordEpoch } from '../../src/kds/cursor.ts';
import type { Place } from '../../src/resource/resource.ts';
import type { Durability, Head, Store, Transaction } from '../../src/resource/store/store.ts';
import { openReusedStore, restoreTestStore, type TestStore, withCommit } from '../harness/test-store.ts';
import { contentOf, type StoreEntry } from './content.ts';
import { type Deeds, watched } from './watch.ts';
import { Crash, type World } from './world.ts';
import { writeDrafts } from '../harness/write-drafts.ts';

/** One control plane in the simulator: a store that survives crashes, and a process that does not. */
export class Node {
  readonly world: World;
  readonly place: Place;

  up = false;
  connected = true;
  generation = 0;
  /** What the store holds, as its commits told. */
  content = new Map<string, StoreEntry>();
  private recorded: Head | undefined;
  /** When what is to be done soon is done. */
  private soonAt = 0;
  /** Crashes at so many more points; 0: never. */
  fuse = 0;
  /** This process does nothing until then: the machine is suspended. Virtual ms. */
  private suspendedUntil = 0;
  private readonly waiting: (() => void)[] = [];
  /** How far this machine's clocks are off. ms. The monotonic one never goes back. */
  private wall = 0;
  private monotonic = 0;
  /** Another process has this identity and goes on: this one is not started again. */
  retired = false;
  private store: TestStore;
  /** What is on its disk, where that is not all. */
  private written: Buffer | undefined;
  private sync: Sync | undefined;
  plane: Plane;
  /** Reports of the level error, for the checks. */
  readonly errors: string[] = [];

  constructor(
    world: World,
    place: Place,
    /** What its volume holds; a new one is empty. */
    volume?: Buffer,
  ) {
    this.world = world;
    this.place = place;
    const random = () => world.random.hex(32);
    this.store = volume ? restoreTestStore(volume, random) : openReusedStore(random);
    this.plane = this.makePlane();
    this.readContent();
  }

  get name(): string {
    return this.place.zone || 'global';
  }

  start(): void {
    this.generation += 1;
    this.up = true;
    this.fuse = 0;
    this.plane = this.makePlane();
    const random = () => this.world.random.hex(32);
    recordEpoch(this.store, random());
    const identity = beginEpoch(this.store, random);
    this.firstStart();
    this.sync = this.makeSync(identity);
    this.world.log(`${this.name} starts, incarnation ${identity.self.incarnation}`);
    this.world.keepTicking(this, this.generation);
    if (this.connected) this.guarded(() => this.sync?.connection(true));
  }

  crash(): void {
    this.generation += 1;
    this.up = false;
    this.sync = undefined;
    this.waiting.splice(0);
    this.world.log(`${this.name} crashes`);
    this.cutPower();
  }

  /** It is stopped by its operator, and started again soon: it says that it leaves, and all it wrote is on its disk. */
  stop(): void {
    if (!this.up || this.suspendedUntil > this.world.now) return;
    this.guarded(() => this.sync?.stop());
    this.written = undefined;
    if (this.up) this.die();
  }

  /** What was left for later is gone, where it was the machine that went down. */
  private cutPower(): void {
    const { written } = this;
    this.written = undefined;
    if (!written || this.world.random.chance(0.5)) return;
    this.store.close();
    this.store = restoreTestStore(written, () => this.world.random.hex(32));
    this.plane = this.makePlane();
    this.readContent();
    this.world.log(`${this.name} loses what was not on its disk yet`);
  }

  /** The bytes of a backup; and going back to one: the store is what it was then, and does not know it. */
  backup(): Buffer {
    return this.store.snapshot();
  }

  restore(bytes: Buffer): void {
    this.crash();
    this.store.close();
    this.store = restoreTestStore(bytes, () => this.world.random.hex(32));
    this.plane = this.makePlane();
    this.readContent();
    this.world.log(`${this.name} is restored from a backup`);
  }

  /** The volume is gone. */
  lose(): void {
    this.crash();
    this.store.close();
    this.store = openReusedStore(() => this.world.random.hex(32));
    this.plane = this.makePlane();
    this.readContent();
    this.world.log(`${this.name} loses its volume`);
  }

  deliver(sender: string, text: string, from: Node): void {
    if (!this.up || !this.connected || !from.connected) return;
    if (this.suspendedUntil > this.world.now) this.waiting.push(() => this.deliver(sender, text, from));
    else this.guarded(() => this.sync?.message(sender, text));
  }

  /** What comes meanwhile waits, and is read in its order. A machine that sleeps already may sleep on. */
  suspend(duration: number): void {
    this.suspendedUntil = Math.max(this.suspendedUntil, this.world.now + duration);
    this.world.log(`${this.name} is suspended for ${duration} ms`);
    this.world.after(duration, () => this.suspendedUntil <= this.world.now && this.wake());
  }

  wake(): void {
    this.suspendedUntil = 0;
    for (const read of this.waiting.splice(0)) read();
  }

  /** Both clocks of the machine jump: the wall clock either way, the monotonic one ahead. */
  jump(wall: number, monotonic: number): void {
    this.wall += wall;
    this.monotonic += monotonic;
    this.world.log(`${this.name}: the clocks jump by ${wall} and ${monotonic} ms`);
  }

  setConnected(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.world.log(`${this.name} ${connected ? 'is connected' : 'is cut off'}`);
    if (this.up) this.guarded(() => this.sync?.connection(connected));
  }

  tick(): void {
    if (this.up && this.suspendedUntil <= this.world.now) this.guarded(() => this.sync?.tick());
  }

  /** Runs a write of a user; false when the process died in it. Other errors are the caller's. */
  write<T>(body: (plane: Plane) => T): { done: true; value: T } | { done: false } {
    if (!this.up) return { done: false };
    try {
      const value = body(this.plane);
      return { done: true, value };
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
      this.die();
      return { done: false };
    }
  }

  /** The run is over. */
  close(): void {
    this.generation += 1;
    this.store.close();
  }

  view(peer: string) {
    return this.sync?.view(peer);
  }

  /** Why this process must not sync any more, if so. */
  ended(): string | undefined {
    return this.sync?.ended();
  }

  /** In order; at once, where the machine is not busy. */
  private soon(task: () => void): void {
    const { now, random, busy } = this.world;
    this.soonAt = Math.max(this.soonAt, now + (random.chance(busy) ? random.below(600) : 0));
    this.world.after(this.soonAt - now, task);
  }

  /** The same, if this process lives still. */
  private soonHere(task: () => void, generation: number): void {
    this.soon(() => this.generation === generation && this.guarded(task));
  }

  private guarded(body: () => void): void {
    try {
      body();
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
      this.die();
    }
  }

  private die(): void {
    this.crash();
    if (!this.retired) this.world.after(100 + this.world.random.below(3_000), () => this.up || this.retired || this.start());
  }

  private burn(): void {
    if (this.fuse > 0 && --this.fuse === 0) throw new Crash();
  }

  private makePlane(): Plane {
    const now = () => new Date(1_700_000_000_000 + this.wall + this.world.now).toISOString();
    const { generation } = this;
    const { plane, onCommit } = watchCommits({ place: this.place, store: this.watched(), now }, (task) => this.soonHere(task, generation));
    onCommit(() => this.sync?.committed());
    return plane;
  }

  /** The store with a fuse before and after each commit, and eyes on what is done in it. */
  private watched(): Store {
    const { store } = this;
    const commit = <T>(body: (tx: Transaction) => T, durability: Durability = 'at once'): T => {
      this.burn();
      if (durability === 'later') this.written ??= store.snapshot();
      const deeds: Deeds = { entries: new Map(), moved: new Set(), mirrored: new Set() };
      const { watch } = this.world;
      const result = store.commit((tx) => body(watched(tx, this, watch, deeds)), durability);
      if (durability === 'at once') this.written = undefined;
      this.committed(deeds);
      this.burn();
      return result;
    };
    const toDisk = (): void => {
      store.toDisk();
      this.written = undefined;
    };
    return { ...withCommit(store, commit), toDisk, feed: this.shortFeed(store.feed) };
  }

  /** The feed in small pages, and with a log that is pruned early: what takes megabytes and months on a real one. */
  private shortFeed(feed: Store['feed']): Store['feed'] {
    const { pageBytes, logged } = this.world.sizes;
    const reaches = (revision: number) => feed.reaches(revision) && this.store.head().revision - revision <= logged;
    return {
      ...feed,
      reaches,
      summaryAt: (peer, revision) => (reaches(revision) ? feed.summaryAt(peer, revision) : undefined),
      changes: (peer, revision, after, bytes) =>
        reaches(revision) ? this.forget(feed.changes(peer, revision, after, Math.min(bytes, pageBytes))) : { changes: [], next: undefined },
      page: (peer, after, bytes) => feed.page(peer, after, Math.min(bytes, pageBytes)),
    };
  }

  /** A log with a fault: now and then a change is missing in what it says. The digest must tell. */
  private forget(page: ReturnType<Store['feed']['changes']>): ReturnType<Store['feed']['changes']> {
    const { random, sizes } = this.world;
    return { ...page, changes: page.changes.filter(() => !random.chance(sizes.forgotten)) };
  }

  private committed({ entries, moved, mirrored }: Deeds): void {
    for (const [id, entry] of entries) {
      if (entry) this.content.set(id, entry);
      else this.content.delete(id);
    }
    this.record();
    for (const peer of moved) this.world.watch.committed(this, peer);
    for (const peer of mirrored) if (!moved.has(peer)) this.world.watch.mirrored(this, peer);
  }

  /** Once for each revision that this store has in this epoch. */
  private record(): void {
    const head = this.store.head();
    if (this.recorded?.revision === head.revision && this.recorded.term === head.term) return;
    this.recorded = head;
    this.world.history.record(head, this.content);
  }

  private readContent(): void {
    this.content = contentOf(this.store);
    this.recorded = undefined;
    this.record();
  }

  private firstStart(): void {
    if (this.place.zone === '' && this.store.head().revision === 0) {
      writeDrafts(this.plane, [{ type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} }]);
    }
    retryAllRefused(this.plane);
  }

  private makeSync({ self, sign }: Identity): Sync {
    const { world } = this;
    const { environment, systemNamespace, zone } = this.place;
    const generation = this.generation;
    return new Sync({
      plane: this.plane,
      self,
      sign,
      perSlice: 2,
      about: zone === '' ? undefined : { environment, systemNamespace, version: 'sim' },
      transport: {
        way: () => ({ mostBytes: world.payloadOf(this) }),
        send: (peer, text) => {
          this.burn();
          if (this.connected) world.carry(this, peer, text);
        },
        onMessage: () => {},
        onConnection: () => {},
      },
      machine: {
        now: () => world.now + this.monotonic,
        random: () => world.random.next(),
        id: () => world.random.hex(16),
        soon: (task) => this.soonHere(task, generation),
      },
      report: (level, event, details) => {
        if (level !== 'info') world.log(`${this.name} ${level}: ${event} ${JSON.stringify(details)}`);
        if (level === 'error') this.errors.push(event);
      },
    });
  }
}
