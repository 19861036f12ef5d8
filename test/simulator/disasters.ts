import { atOnce } from '../../src/resource/store/parts.ts';
import { orphansOf } from '../../src/control/peers/lost-store.ts';
import { diverged } from '../../src/control/peers/divergence.ts';
import { readPeer } from '../../src/control/peers/known-peers.ts';
import { recover, type RecoverOrder } from '../../src/control/operate/recover.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { ledgerProblems } from './check.ts';
import { expectDefaultMesh, type Model } from './model.ts';
import type { Node } from './node.ts';
import { apply } from './workload.ts';
import type { World } from './world.ts';

/** Of a user who misses something: many revisions make a long run. */
const MOST_WRITES = 40;

interface Backup {
  readonly bytes: Buffer;
  readonly revision: number;
}

/**
 * What happens to stores: restored from an older backup, lost, copied and started twice. And the operator, who then
 * says `recover` where a control plane asks for it, accepts a new store where there is one, and gives up what nobody
 * sends any more.
 */
export class Disasters {
  private readonly world: World;
  private readonly model: Model;

  private readonly backups = new Map<string, Backup>();
  /** The first of each store. */
  private readonly oldest = new Map<string, Backup>();
  private left = 3;
  private struck = 0;

  constructor(world: World, model: Model) {
    this.world = world;
    this.model = model;
    world.scanned = this.scanned;
    world.taken = this.taken;
    for (const node of world.nodes.values()) this.backUp(node);
  }

  /** Perhaps something happens to `node`. */
  strike(node: Node): void {
    const { random } = this.world;
    const { zone } = node.place;
    if (random.chance(0.4) || !this.backups.has(zone)) this.backUp(node);
    else if (this.left > 0) {
      this.left -= 1;
      random.pick([this.restore, this.restore, this.restore, this.lose, this.startTwice])(node);
    }
  }

  /**
   * A feed did not add up, and `sender` is asked for all of it: somebody takes it back to before what the other side
   * shows, and it is asked again.
   */
  private readonly scanned = (sender: Node, shown: number): void => {
    const backup = this.oldest.get(sender.place.zone);
    if (this.struck >= 2 || !backup || backup.revision >= shown || !this.world.random.chance(0.3)) return;
    this.struck += 1;
    this.restore(sender, backup);
  };

  /** The other side has all of a scan, and takes it while the sender is taken back. */
  private readonly taken = (sender: Node): void => {
    if (this.left === 0 || !this.backups.has(sender.place.zone) || !this.world.random.chance(0.1)) return;
    this.left -= 1;
    this.world.after(this.world.random.pick([5, 50, 300]), () => this.world.taken === this.taken && this.restore(sender));
  };

  /** The operator looks at every control plane once, and says what is to be said. */
  operate(): void {
    for (const node of this.world.nodes.values()) {
      if (!node.up) continue;
      if (diverged(node.plane.store) !== undefined) this.say(node, {});
      for (const peer of this.peersOf(node)) this.accept(node, peer);
    }
  }

  /** When all is in step again: what is left over of stores that are gone goes. */
  giveUp(): void {
    const { world, model } = this;
    const nodes = [...world.nodes.values()];
    if (nodes.some((node) => ledgerProblems(world, node).length > 0)) return;
    for (const node of nodes) {
      for (const peer of this.peersOf(node)) {
        const orphans = atOnce(orphansOf(node.plane.store, peer));
        for (const { key } of orphans) model.release(key);
        if (orphans.length > 0) this.say(node, { dropAbsent: peer });
      }
    }
  }

  private backUp(node: Node): void {
    const { zone } = node.place;
    const backup: Backup = { bytes: node.backup(), revision: node.plane.store.head().revision };
    this.backups.set(zone, backup);
    if (!this.oldest.has(zone)) this.oldest.set(zone, backup);
  }

  private readonly restore = (node: Node, backup = this.backups.get(node.place.zone)): void => {
    if (backup === undefined || node.retired) return;
    // Two processes that both remember too little: nobody can tell which one is meant.
    this.world.endTwins(node.place.zone);
    const lost = node.plane.store.head().revision - backup.revision;
    node.restore(backup.bytes);
    this.rebase(node);
    // So that it may write more than its log holds before anybody shows it a cursor.
    if (this.world.random.chance(0.3)) node.setConnected(false);
    // The log lacks by then what others have.
    const past = Math.max(0, lost) + this.world.sizes.logged + 2;
    const many = past <= MOST_WRITES ? past : 12;
    this.startLater(node, this.world.random.pick([0, 2, 5, many, many, many]));
  };

  private readonly lose = (node: Node): void => {
    this.world.endTwins(node.place.zone);
    node.lose();
    for (const backups of [this.backups, this.oldest]) backups.delete(node.place.zone);
    this.rebase(node);
    this.startLater(node);
  };

  private readonly startTwice = (node: Node): void => {
    if (node.up) this.world.takeOver(node.place.zone);
  };

  /** A global that is empty makes its mesh when it starts. */
  private rebase(node: Node): void {
    this.model.rebase(node.place.zone, node.content);
    if (node.place.zone === '' && node.content.size === 0) expectDefaultMesh(this.model);
  }

  /**
   * `writes`: so often a user who misses something applies it again, before anybody else is heard. One thing at a time:
   * the log may lack the backup's revision by then, and not all that was lost is there again.
   */
  private startLater(node: Node, writes = 0): void {
    this.world.after(this.world.random.pick([0, 100, 10_000]), () => {
      if (node.up || node.retired) return;
      node.start();
      for (let n = 0; n < writes && node.up; n++) apply(this.world, this.model, node, 1);
    });
  }

  private accept(node: Node, peer: string): void {
    const identity = peer === GLOBAL_PEER ? '' : peer;
    // Else it is this side's own store that the other one does not know.
    const pinned = readPeer(node.plane.store, peer) !== undefined;
    const store = node.view(peer)?.stopped?.store;
    if (pinned && store !== undefined && store === this.world.node(identity).plane.store.head().store)
      this.say(node, { acceptStore: peer, store });
  }

  private say(node: Node, order: RecoverOrder): void {
    this.world.log(`${node.name} is told to recover ${JSON.stringify(order)}`);
    node.write((plane) => plane.store.commit((tx) => atOnce(recover(tx, plane, order))));
  }

  private peersOf(node: Node): readonly string[] {
    return node.place.zone === '' ? this.world.zones.map(({ place }) => place.zone) : [GLOBAL_PEER];
  }
}
