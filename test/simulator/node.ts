import type { Plane } from '../../src/control/plane.js';
import { retryRefused } from '../../src/control/retry.js';
import { peersOf, placeOf } from '../../src/control/peers.js';
import { Sync } from '../../src/control/sync.js';
import { writeDrafts } from '../../src/control/write.js';
import { signer } from '../../src/kds/cursor.js';
import type { Place } from '../../src/resource/resource.js';
import type { Store, Transaction } from '../../src/resource/store.js';
import { openSnapshot, openStore, type SqliteStore } from '../../src/store/open.js';
import { Crash, type World } from './world.js';

/** What a watcher of a node's commits may look at. */
export interface CommitWatch {
  deleted(node: Node, key: Parameters<Transaction['delete']>[0]): void;
}

/** One control plane in the simulator: a store that survives crashes, and a process that does not. */
export class Node {
  up = false;
  connected = true;
  generation = 0;
  watch: CommitWatch | undefined;
  /** Crashes at so many more points; 0: never. */
  fuse = 0;
  private store: SqliteStore;
  private sync: Sync | undefined;
  plane: Plane;
  /** Reports of the level error, for the checks. */
  readonly errors: string[] = [];

  constructor(
    readonly world: World,
    readonly place: Place,
    /** What its volume holds; a new one is empty. */
    volume?: Buffer,
  ) {
    const options = { random: () => world.random.hex(32) };
    this.store = volume ? openSnapshot(volume, options) : openStore(':memory:', options);
    this.plane = this.makePlane();
  }

  get name(): string {
    return this.place.zone || 'global';
  }

  start(): void {
    this.generation += 1;
    this.up = true;
    this.fuse = 0;
    this.plane = this.makePlane();
    const incarnation = Number(this.store.setting('incarnation') ?? '0') + 1;
    this.store.commit((tx) => tx.setSetting('incarnation', String(incarnation)));
    if (!this.store.setting('secret')) this.store.commit((tx) => tx.setSetting('secret', this.world.random.hex(32)));
    this.firstStart();
    this.sync = this.makeSync(incarnation);
    this.world.log(`${this.name} starts, incarnation ${incarnation}`);
    this.world.keepTicking(this, this.generation);
    if (this.connected) this.guarded(() => this.sync?.connection(true));
  }

  crash(): void {
    this.generation += 1;
    this.up = false;
    this.sync = undefined;
    this.world.log(`${this.name} crashes`);
  }

  /** The bytes of a backup; and going back to one: the store is what it was then, and does not know it. */
  backup(): Buffer {
    return this.store.snapshot();
  }

  restore(bytes: Buffer): void {
    this.crash();
    this.store = openSnapshot(bytes, { random: () => this.world.random.hex(32) });
    this.plane = this.makePlane();
    this.world.log(`${this.name} is restored from a backup`);
  }

  /** The volume is gone. */
  lose(): void {
    this.crash();
    this.store = openStore(':memory:', { random: () => this.world.random.hex(32) });
    this.plane = this.makePlane();
    this.world.log(`${this.name} loses its volume`);
  }

  deliver(sender: string, text: string, from: Node): void {
    if (!this.up || !this.connected || !from.connected) return;
    this.guarded(() => this.sync?.message(sender, text));
  }

  setConnected(connected: boolean): void {
    if (this.connected === connected) return;
    this.connected = connected;
    this.world.log(`${this.name} ${connected ? 'is connected' : 'is cut off'}`);
    if (this.up) this.guarded(() => this.sync?.connection(connected));
  }

  tick(): void {
    if (this.up) this.guarded(() => this.sync?.tick());
  }

  /** Runs a write of a user; false when the process died in it. Other errors are the caller's. */
  write<T>(body: (plane: Plane) => T): { done: true; value: T } | { done: false } {
    if (!this.up) return { done: false };
    try {
      const value = body(this.plane);
      this.sync?.committed();
      return { done: true, value };
    } catch (thrown) {
      if (!(thrown instanceof Crash)) throw thrown;
      this.die();
      return { done: false };
    }
  }

  view(peer: string) {
    return this.sync?.view(peer);
  }

  /** Why this process must not sync any more, if so. */
  ended(): string | undefined {
    return this.sync?.ended();
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
    this.world.after(100 + this.world.random.below(3_000), () => this.start());
  }

  private burn(): void {
    if (this.fuse > 0 && --this.fuse === 0) throw new Crash();
  }

  private makePlane(): Plane {
    return { place: this.place, store: this.watched(), now: () => new Date(1_700_000_000_000 + this.world.now).toISOString() };
  }

  /** The store with a fuse before and after each commit, and eyes on what is deleted. */
  private watched(): Store {
    const { store } = this;
    const commit = <T>(body: (tx: Transaction) => T): T => {
      this.burn();
      const result = store.commit((tx) => body(this.observed(tx)));
      this.burn();
      return result;
    };
    return new Proxy<Store>(store, { get: (target, property) => (property === 'commit' ? commit : Reflect.get(target, property)) });
  }

  private observed(tx: Transaction): Transaction {
    const remove: Transaction['delete'] = (key) => {
      const had = tx.delete(key);
      if (had) this.watch?.deleted(this, key);
      return had;
    };
    return new Proxy(tx, { get: (target, property) => (property === 'delete' ? remove : Reflect.get(target, property)) });
  }

  private firstStart(): void {
    if (this.place.zone === '' && this.store.head().revision === 0) {
      writeDrafts(this.plane, [{ type: 'Mesh', mesh: '', name: 'default', namespace: undefined, labels: {}, spec: {} }]);
    }
    this.plane.store.commit((tx) => {
      for (const peer of peersOf(tx)) {
        const origin = placeOf(tx, peer);
        if (origin) retryRefused(tx, this.plane, peer, origin, () => true);
      }
    });
  }

  private makeSync(incarnation: number): Sync {
    const { world } = this;
    const { store, term } = this.store.head();
    const { environment, systemNamespace, zone } = this.place;
    const generation = this.generation;
    return new Sync({
      plane: this.plane,
      self: { store, term, incarnation, instance: world.random.hex(16) },
      sign: signer(this.store.setting('secret') ?? ''),
      about: zone === '' ? undefined : { environment, systemNamespace, version: 'sim' },
      transport: {
        send: (peer, text) => {
          this.burn();
          if (this.connected) world.carry(this, peer, text);
        },
        onMessage: () => {},
        onConnection: () => {},
      },
      machine: {
        now: () => world.now,
        random: () => world.random.next(),
        id: () => world.random.hex(16),
        soon: (task) => world.after(0, () => this.generation === generation && this.guarded(task)),
      },
      report: (level, event, details) => {
        if (level !== 'info') world.log(`${this.name} ${level}: ${event} ${JSON.stringify(details)}`);
        if (level === 'error') this.errors.push(event);
      },
    });
  }
}
