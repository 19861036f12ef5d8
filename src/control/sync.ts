import { GLOBAL_PEER } from '../resource/audience.js';
import type { Position, Refusal } from '../resource/store.js';
import { MeridianError } from '../errors.js';
import { makePosition, type Sign } from '../kds/cursor.js';
import {
  type About,
  type Acknowledged,
  type Body,
  decodeMessage,
  encodeMessage,
  type Message,
  type Notice,
  type Pull,
  SILENCE,
  type Speaker,
  type Status,
} from '../kds/protocol.js';
import { digestOfRefusals } from '../kds/refusal.js';
import { makePush, servePull, type Source } from '../kds/serve.js';
import { compareSpeakers, type Context, type Effect, newSession, type Session, type SessionEvent, step } from '../kds/session.js';
import type { Transport } from '../kds/transport.js';
import { placeOf, readPeer, writePeer } from './peers.js';
import { isGlobal, type Plane } from './plane.js';
import { applyTransfer, readLines } from './receive.js';
import { diverged, markDiverged } from './recover.js';
import { reportedDigest, writeReported } from './reported.js';
import { registerZone, zoneState } from './zones.js';

/** What the sync takes from the machine it runs on: real ones in the daemons, seeded ones in the simulator. */
export interface Machine {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Unique and unguessable, hex. */
  readonly id: () => string;
  /** Runs something soon, after what is at hand: gives each peer its turn. */
  readonly soon: (task: () => void) => void;
}

/** What an operator should hear of. */
export interface Report {
  (level: 'info' | 'warn' | 'error', event: string, details: Readonly<Record<string, unknown>>): void;
}

/** One peer, as seen from here: for /ready, the ledger and `inspect zones`. */
export interface PeerView {
  readonly peer: string;
  readonly online: boolean;
  /** Everything that the peer announced is here, and adds up. */
  readonly upToDate: boolean;
  /** The peer's mirror of our feed, by its own last word. */
  readonly ack: Acknowledged | undefined;
  readonly head: Position;
  readonly stopped: Session['stopped'];
  readonly failures: number;
  readonly about: About | undefined;
}

export interface Sync {
  /** The connection came or went. */
  connection(connected: boolean): void;
  /** A message from `peer`, as the transport proves it. */
  message(peer: string, text: string): void;
  /** Something was committed here. */
  committed(): void;
  /** Call it several times a second. */
  tick(): void;
  view(peer: string): PeerView;
  peers(): readonly string[];
  /** Why this process must not sync any more, if so. */
  ended(): string | undefined;
}

/** Messages of one peer that wait for their turn. More than this are dropped: the protocol asks again. */
const QUEUE_LIMIT = 64;

/**
 * Runs the sessions of one control plane: reads what a step needs, does what it says. Each peer has its queue and its turn, so that a flood
 * from one costs the others nothing.
 */
export function createSync(
  plane: Plane,
  self: Speaker,
  sign: Sign,
  about: About | undefined,
  transport: Transport,
  machine: Machine,
  report: Report,
): Sync {
  const sessions = new Map<string, Session>();
  const queues = new Map<string, Message[]>();
  const refusalDigests = new Map<string, string>();
  const source: Source = { store: plane.store, sign };
  const global = isGlobal(plane.place);
  let scheduled = false;
  let connected = false;
  let ended: string | undefined;

  function session(peer: string): Session {
    return sessions.get(peer) ?? newSession(peer);
  }

  function speaker(): Speaker {
    return { ...self, term: plane.store.head().term };
  }

  function context(peer: string): Context {
    return {
      self: speaker(),
      head: headFor(peer),
      position: plane.store.mirror.position(peer),
      recordedRefusals: reportedDigest(plane.store, peer),
      pin: readPeer(plane.store, peer)?.store || undefined,
      disabled: global && zoneState(plane.store, peer) === 'disabled',
      diverged: diverged(plane.store) !== undefined,
      pushes: global,
      now: machine.now(),
      random: machine.random(),
      id: machine.id(),
    };
  }

  function headFor(peer: string): Position {
    return makePosition(sign, peer, plane.store.head(), plane.store.feed.summary(peer));
  }

  function handle(peer: string, event: SessionEvent): void {
    if (ended !== undefined) return;
    const { state, effects } = step(session(peer), event, context(peer));
    sessions.set(peer, state);
    for (const effect of effects) perform(peer, effect);
  }

  function perform(peer: string, effect: Effect): void {
    switch (effect.do) {
      case 'send':
        return send(peer, effect.body, []);
      case 'send-status':
        return send(peer, statusFor(peer), []);
      case 'push':
        return push(peer, effect.base);
      case 'serve':
        return serve(peer, effect.pull);
      case 'stage':
        return stage(peer, effect.lines);
      case 'unstage':
        return plane.store.commit((tx) => tx.mirror.clearStage(peer));
      case 'adopt':
        return plane.store.commit((tx) => tx.mirror.setPosition(peer, effect.position));
      case 'apply':
        return apply(peer, effect);
      case 'pin':
        return pin(peer, effect.store);
      case 'introduce':
        return introduce(peer, effect.about);
      case 'refusals':
        return record(peer, effect.digest, effect.refusals);
      case 'stopped':
        return stopped(peer, effect);
      case 'acknowledged':
        return;
    }
  }

  function send(peer: string, body: Body, lines: readonly string[]): void {
    transport.send(peer, encodeMessage({ from: speaker(), body, lines }));
  }

  function statusFor(peer: string): Status {
    const position = plane.store.mirror.position(peer);
    const ack: Acknowledged = { refusals: refusalDigest(peer), ...(position ? { position } : {}) };
    const silent = diverged(plane.store) !== undefined;
    return { kind: 'status', ack, ...(silent ? {} : { head: headFor(peer) }), ...(about ? { about } : {}) };
  }

  function refusalDigest(peer: string): string {
    const known = refusalDigests.get(peer) ?? digestOfRefusals(plane.store.mirror.refusals(peer));
    refusalDigests.set(peer, known);
    return known;
  }

  function push(peer: string, base: Extract<Effect, { do: 'push' }>['base']): void {
    const made = makePush(source, peer, base);
    if (made) send(peer, made.body, made.lines);
    else send(peer, statusFor(peer), []);
  }

  function serve(peer: string, pull: Pull): void {
    const answer = servePull(source, peer, pull);
    if ('body' in answer) return send(peer, answer.body, answer.lines);
    plane.store.commit((tx) => markDiverged(tx, answer.diverged));
    report('error', 'store diverged', { peer, reason: answer.diverged, hint: 'run meridianctl recover' });
    send(peer, { kind: 'notice', code: 'diverged', message: answer.diverged }, []);
  }

  function stage(peer: string, lines: readonly string[]): void {
    const origin = placeOf(plane.store, peer);
    if (origin) plane.store.commit((tx) => tx.mirror.stage(peer, readLines(lines, origin)));
  }

  function apply(peer: string, { mode, lines, end }: Extract<Effect, { do: 'apply' }>): void {
    const origin = placeOf(plane.store, peer);
    if (!origin) return;
    const before = plane.store.head().revision;
    const outcome = applyTransfer(plane, { peer, origin, mode, lines, end });
    refusalDigests.delete(peer);
    if (outcome === 'mismatch') report('warn', 'digest mismatch', { peer, mode, revision: end.revision });
    handle(peer, { on: 'applied', outcome });
    if (plane.store.head().revision !== before) committedExcept(peer);
  }

  function pin(peer: string, store: string): void {
    plane.store.commit((tx) => writePeer(tx, peer, { ...readPeer(tx, peer), store }));
    report('info', 'peer pinned', { peer, store });
  }

  function introduce(peer: string, introduced: About): void {
    const known = readPeer(plane.store, peer);
    if (!global || !known || known.about) return;
    plane.store.commit((tx) => {
      writePeer(tx, peer, { ...known, about: introduced });
      registerZone(tx, plane, peer);
    });
    report('info', 'zone registered', { zone: peer, ...introduced });
    committedExcept(undefined);
  }

  function record(peer: string, digest: string, refusals: readonly Refusal[]): void {
    plane.store.commit((tx) => writeReported(tx, peer, digest, refusals, plane.now()));
    for (const { key, reason } of refusals) report('warn', 'refused by peer', { peer, key, reason });
  }

  function stopped(peer: string, { code, message }: { code: Notice['code']; message: string }): void {
    report('warn', 'peer stopped the sync', { peer, code, message });
    if (code === 'superseded' && peer === GLOBAL_PEER) end(message);
  }

  function end(reason: string): void {
    ended = reason;
    report('error', 'sync ended', { reason });
  }

  function committedExcept(peer: string | undefined): void {
    refusalDigests.clear();
    for (const other of sessions.keys()) if (other !== peer) handle(other, { on: 'committed' });
  }

  /** Another process of global made itself known. The later one goes on. */
  function otherGlobal(from: Speaker): void {
    if (from.instance === self.instance) return;
    const order = compareSpeakers(from, speaker());
    if (order > 0) end('a later process of global is running');
    else announceSelf();
  }

  function announceSelf(): void {
    send(GLOBAL_PEER, { kind: 'notice', code: 'superseded', message: 'a process of global is running' }, []);
  }

  function enqueue(peer: string, message: Message): void {
    const queue = queues.get(peer) ?? [];
    if (queue.length >= QUEUE_LIMIT) return;
    queue.push(message);
    queues.set(peer, queue);
    if (!scheduled) {
      scheduled = true;
      machine.soon(drain);
    }
  }

  /** One message of each peer, then the next round. */
  function drain(): void {
    scheduled = false;
    for (const [peer, queue] of [...queues]) {
      const next = queue.shift();
      if (queue.length === 0) queues.delete(peer);
      if (next) handle(peer, { on: 'message', message: next });
    }
    if (queues.size > 0 && !scheduled) {
      scheduled = true;
      machine.soon(drain);
    }
  }

  function ensurePeers(): void {
    if (!global) sessions.set(GLOBAL_PEER, session(GLOBAL_PEER));
  }

  ensurePeers();
  return {
    connection(now) {
      connected = now;
      if (global && now) announceSelf();
      for (const peer of sessions.keys()) handle(peer, { on: now ? 'connected' : 'lost' });
    },
    message(peer, text) {
      const message = decode(peer, text, report);
      if (!message || ended !== undefined) return;
      if (global && peer === GLOBAL_PEER) otherGlobal(message.from);
      else enqueue(peer, message);
    },
    committed: () => committedExcept(undefined),
    tick() {
      if (!connected) return;
      for (const peer of sessions.keys()) handle(peer, { on: 'tick' });
    },
    view: (peer) => viewOf(session(peer), headFor(peer), plane.store.mirror.position(peer), machine.now(), connected),
    peers: () => [...sessions.keys()],
    ended: () => ended,
  };
}

function decode(peer: string, text: string, report: Report): Message | undefined {
  try {
    return decodeMessage(text);
  } catch (thrown) {
    report('warn', 'message refused', { peer, reason: thrown instanceof MeridianError ? thrown.message : String(thrown) });
    return undefined;
  }
}

function viewOf(session: Session, head: Position, position: Position | undefined, now: number, connected: boolean): PeerView {
  const { peer, receiving, sending, stopped, about, heardAt } = session;
  const { seen } = receiving;
  const agrees =
    position !== undefined &&
    seen !== undefined &&
    position.term === seen.term &&
    position.digest === seen.digest &&
    position.count === seen.count;
  return {
    peer,
    online: connected && now - heardAt <= SILENCE,
    upToDate: agrees,
    ack: sending.ack,
    head,
    stopped,
    failures: receiving.failures,
    about,
  };
}
