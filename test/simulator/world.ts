import { LEAST_PAYLOAD } from '../../src/kds/message-parts.ts';
import { MAX_MESSAGE_BYTES } from '../../src/kds/protocol.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import { type Random, seeded } from './random.ts';
import { History } from './content.ts';
import { Node } from './node.ts';
import { NOBODY_WATCHES, type Watch } from './watch.ts';

/** How unfriendly the network is. Probabilities per message; delays in virtual ms. */
export interface Weather {
  readonly loss: number;
  readonly repeat: number;
  readonly maxDelay: number;
}

export const CALM: Weather = { loss: 0, repeat: 0, maxDelay: 5 };

interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A process died at a chosen point: between two effects, before or after a commit. */
export class Crash extends Error {}

/** The revision of the cursor that comes with the ask for a scan. */
const SHOWN = /"mode":"scan","cursor":\{[^}]*"revision":(\d+)/;

/** As in the daemons. */
const TICK = 500;

/**
 * Global and zones in one process, on a virtual clock and a seeded network. The real session, feed, filter and
 * rendering code, and real SQLite stores. A run is a function of its seed.
 */
export class World {
  readonly seed: number;
  readonly watch: Watch;

  now = 0;
  weather: Weather = CALM;
  readonly random: Random;
  readonly nodes = new Map<string, Node>();
  /** What each control plane held, and when. */
  readonly history = new History();
  /** How much a page holds, how many revisions a log, and how likely it is that the log lacks a change. */
  sizes: { readonly pageBytes: number; readonly logged: number; readonly forgotten: number };
  /**
   * How many bytes at once each node's server carries, which the node knows, and one in the middle, which nobody knows.
   * What is larger is lost.
   */
  payloads: { readonly ends: readonly number[]; readonly middle: number };
  /** How likely it is that what is to be done soon is done some hundred ms later. */
  busy: number;
  /** Further processes with the identity of a node. */
  private readonly twins: Node[] = [];
  /**
   * Called when a node asks `sender` for a scan and shows a cursor of that revision; and when one asks for its end, to
   * take it then.
   */
  scanned: (sender: Node, shown: number) => void = () => {};
  taken: (sender: Node) => void = () => {};
  /** What happened, for a failing seed. */
  readonly journal: string[] = [];
  private tasks: Task[] = [];
  private order = 0;

  constructor(seed: number, zones: readonly Place[], watch: Watch = NOBODY_WATCHES) {
    this.seed = seed;
    this.watch = watch;
    this.random = seeded(seed);
    this.sizes = {
      pageBytes: this.random.pick([100_000, 2_000, 300]),
      logged: this.random.pick([1_000_000, 1_000_000, 15, 3]),
      forgotten: this.random.pick([0, 0, 0, 0.05, 0.5]),
    };
    this.payloads = choosePayloads(seeded(seed * 13));
    this.busy = this.random.pick([0, 0, 0.1, 0.5]);
    for (const place of [GLOBAL, ...zones]) this.nodes.set(nameOf(place), new Node(this, place));
    for (const node of this.nodes.values()) node.start();
  }

  get global(): Node {
    return this.node('');
  }

  get zones(): readonly Node[] {
    return [...this.nodes.values()].filter((node) => node.place.zone !== '');
  }

  node(zone: string): Node {
    const found = this.nodes.get(zone);
    if (!found) throw new Error(`no node ${zone}`);
    return found;
  }

  /** Starts another process for `zone` ('' for global), on a copy of a volume. */
  startTwin(zone: string, volume: Buffer): Node {
    const twin = new Node(this, this.node(zone).place, volume);
    this.twins.push(twin);
    twin.start();
    return twin;
  }

  /** A later process takes over from a copy of the volume; the older one runs on as long as it is let. */
  takeOver(zone: string): void {
    const old = this.node(zone);
    old.retired = true;
    this.twins.push(old);
    const later = new Node(this, old.place, old.backup());
    this.nodes.set(zone, later);
    this.log(`${later.name} is started a second time`);
    later.start();
  }

  /** Whoever restores a store, or begins with a new one, sees to it that nothing else has the identity. */
  endTwins(zone: string): void {
    for (const twin of this.twins) if (twin.place.zone === zone && twin.up) twin.crash();
  }

  log(line: string): void {
    this.journal.push(`${this.now.toFixed(0).padStart(7)} ${line}`);
  }

  after(delay: number, run: () => void): void {
    this.tasks.push({ at: this.now + delay, order: this.order++, run });
  }

  /** How many bytes at once the server of a node carries. */
  payloadOf({ name }: Node): number {
    const { ends } = this.payloads;
    return ends[name.length % ends.length] ?? MAX_MESSAGE_BYTES;
  }

  /** Carries a message as the weather has it. `peer` is whom the sender means. */
  carry(from: Node, peer: string, text: string): void {
    const zone = peer === GLOBAL_PEER ? '' : peer;
    const shown = SHOWN.exec(text)?.[1];
    if (shown !== undefined) this.scanned(this.node(zone), Number(shown));
    if (text.includes('"mode":"tail"')) this.taken(this.node(zone));
    for (const target of [this.node(zone), ...this.twins.filter((twin) => twin.place.zone === zone)]) {
      // A process of global hears its own word too, and so the one that is started after it.
      if (target !== from || zone === from.place.zone) this.carryTo(target, from, text);
    }
  }

  private carryTo(target: Node, from: Node, text: string): void {
    const sender = from.place.zone === '' ? GLOBAL_PEER : from.place.zone;
    const bytes = Buffer.byteLength(text);
    if (bytes > Math.min(this.payloadOf(from), this.payloadOf(target), this.payloads.middle)) return;
    const copies = this.random.chance(this.weather.repeat) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (this.random.chance(this.weather.loss)) continue;
      this.after(1 + this.random.below(this.weather.maxDelay), () => target.deliver(sender, text, from));
    }
  }

  /** Runs everything that is due within `duration`. */
  run(duration: number): void {
    const end = this.now + duration;
    for (let due = this.takeDue(end); due; due = this.takeDue(end)) {
      this.now = Math.max(this.now, due.at);
      due.run();
    }
    this.now = end;
  }

  /** The run is over: nothing is kept of it. */
  close(): void {
    for (const node of [...this.nodes.values(), ...this.twins]) node.close();
  }

  /** Lets each node's timer run for as long as the node lives. */
  keepTicking(node: Node, generation: number): void {
    this.after(TICK, () => {
      if (node.generation !== generation) return;
      node.tick();
      this.keepTicking(node, generation);
    });
  }

  private takeDue(end: number): Task | undefined {
    let best = -1;
    for (let index = 0; index < this.tasks.length; index++) {
      const task = this.tasks[index];
      const chosen = this.tasks[best];
      if (!task || task.at > end) continue;
      if (!chosen || task.at < chosen.at || (task.at === chosen.at && task.order < chosen.order)) best = index;
    }
    return best < 0 ? undefined : this.tasks.splice(best, 1)[0];
  }
}

/** In two thirds of the runs all goes through. */
function choosePayloads(random: Random): World['payloads'] {
  if (random.chance(2 / 3)) return { ends: [], middle: MAX_MESSAGE_BYTES };
  const one = () => random.pick([MAX_MESSAGE_BYTES, 4_096, LEAST_PAYLOAD, LEAST_PAYLOAD]);
  return { ends: [one(), one(), one()], middle: random.pick([MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES, 4_096]) };
}

function nameOf(place: Place): string {
  return place.zone;
}
