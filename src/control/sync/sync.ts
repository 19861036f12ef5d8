import { MessageParts } from '../../kds/message-parts.ts';
import type { Speaker } from '../../kds/protocol.ts';
import { takenBytes } from '../../kds/receiver.ts';
import { newSession, postpone, type Session, type SessionEvent, step } from '../../kds/session.ts';
import { MeridianError } from '../../errors.ts';
import { GLOBAL_PEER, peerName } from '../../resource/audience.ts';
import type { Head } from '../../resource/store/store.ts';
import { DisabledZones } from '../peers/disabled-zones.ts';
import { type PeerView, viewOf } from '../peers/peer-view.ts';
import { turns } from '../plane/long-turns.ts';
import { isGlobal } from '../plane/plane.ts';
import { RoundRobin } from '../plane/round-robin.ts';
import { TimeBudget } from '../plane/time-budget.ts';
import { type Incident, type ThrottledReport, throttledReport } from '../plane/throttled-report.ts';
import { FairQueue } from './fair-queue.ts';
import { HeldEvents } from './held-events.ts';
import { OtherGlobal } from './other-global.ts';
import { Outbox } from './outbox.ts';
import { Performer } from './perform-effects.ts';
import { readMessage } from './read-message.ts';
import { contextOf } from './session-surroundings.ts';
import { Sessions } from './sessions.ts';
import type { SyncOptions } from './sync-options.ts';

const OVER_BUDGET = 'it took more than its share of the time of this control plane, and waits for a few seconds';

/**
 * Runs the sessions of one control plane, as a loop: an event is stepped, the effects of the step are performed, and
 * their outcome is a further event in the queue.
 *
 *   page 3 of 3 arrives  -> step: apply              -> the transfer is committed -> `applied` is queued
 *   `applied`            -> step: send our status    -> it goes out               -> the queue is empty
 *
 * While a large write keeps the store, what would write too is held back, and what comes of that peer behind it.
 */
export class Sync {
  private readonly options: SyncOptions;

  private readonly sessions = new Sessions();
  /** Messages wait encoded. If there are too many, they are dropped unread. */
  private readonly queue: FairQueue;
  private readonly parts = new MessageParts();
  /** What happened and was not stepped yet. */
  private readonly events: { readonly peer: string; readonly event: SessionEvent }[] = [];
  private stepping = false;
  /** Outcomes of applies that could not be stepped, since the store could not be read: the sessions wait for them. */
  private readonly owed: { readonly peer: string; readonly event: SessionEvent }[] = [];
  private readonly held = new HeldEvents();
  /** The peers to be told of a commit, and those whose timeouts are due: a few at a time of a thousand sessions. */
  private readonly telling: RoundRobin;
  private readonly ticking: RoundRobin;
  private readonly outbox: Outbox;
  private readonly performer: Performer;
  private readonly throttled: ThrottledReport;
  private readonly global: boolean;
  private readonly otherGlobal = new OtherGlobal();
  private readonly disabled: DisabledZones;
  /** Those to be told, and the revision before what they were not told of. */
  private readonly untold = new Map<string, number>();
  /** The head of which the peers were told last. */
  private told: Head;
  private connected = false;
  private endedBy: string | undefined;

  constructor(options: SyncOptions) {
    this.options = options;
    const { plane, report, machine } = options;
    this.global = isGlobal(plane.place);
    this.told = plane.store.head();
    this.outbox = new Outbox(options);
    this.disabled = new DisabledZones(plane);
    this.throttled = throttledReport(report, machine.now);
    // A zone has one peer, and what that sends is what it needs.
    const budget = this.global ? new TimeBudget(machine.now) : undefined;
    this.queue = new FairQueue((peer, text) => this.take(peer, text), machine, {
      budget,
      onHeld: (peer) => this.throttled.report('warn', 'a peer took more than its share of time', { peer }),
    });
    this.telling = new RoundRobin((peer) => this.tell(peer), machine);
    this.ticking = new RoundRobin((peer) => this.connected && this.handle(peer, { on: 'tick' }), machine);
    this.performer = new Performer({
      ...options,
      outbox: this.outbox,
      throttled: this.throttled,
      charge: (peer, what) => (budget ? budget.charge(peer, what) : what()),
      happened: (peer, event) => this.handle(peer, event),
      end: (reason) => this.end(reason),
      hasEnded: () => this.endedBy !== undefined,
    });
    if (!this.global) this.sessions.set(GLOBAL_PEER, newSession(GLOBAL_PEER), machine.now());
  }

  /** The connection came or went. */
  connection(connected: boolean): void {
    this.connected = connected;
    if (this.global && connected) this.attempt(GLOBAL_PEER, () => this.announceSelf());
    for (const peer of [...this.sessions.peers()]) this.handle(peer, { on: connected ? 'connected' : 'lost' });
  }

  /** A message from `peer`, as the transport proves it. */
  message(peer: string, text: string): void {
    if (this.endedBy !== undefined) return;
    const whole = this.parts.add(peer, text);
    if (whole !== undefined) this.queue.add(peer, whole);
  }

  /**
   * Whether a message from `peer` would be looked at now. Else it need not even be decoded: a flood must not keep us
   * from reading on.
   */
  acceptsFrom(peer: string): boolean {
    return this.endedBy === undefined && !this.queue.isFull(peer);
  }

  /**
   * Something was committed here, by anybody (src/control/plane/watch-commits.ts). Those are told whose feeds it may
   * have changed; the others hear of the new revision with the next status. The peer that sent those items is not told:
   * it gets an acknowledgement.
   */
  committed(): void {
    this.attempt(GLOBAL_PEER, () => this.tellAll());
  }

  private tellAll(): void {
    if (this.endedBy !== undefined) return;
    const head = this.store.head();
    if (head.revision === this.told.revision && head.term === this.told.term) return;
    const { revision: since, term } = this.told;
    this.told = head;
    const except = this.performer.broughtBy(head.revision);
    for (const peer of this.concerned(since, term)) {
      if (peer === except || !this.sessions.has(peer)) continue;
      this.untold.set(peer, this.untold.get(peer) ?? since);
      this.telling.add(peer);
    }
  }

  /** Call it several times a second. */
  tick(): void {
    this.throttled.flush();
    for (const { peer, event } of this.owed.splice(0)) this.handle(peer, event);
    this.queue.resume();
    if (this.store.isFree()) this.performer.writeRestored();
    if (!this.connected) return;
    this.attempt(GLOBAL_PEER, () => this.announceWhenDue());
    for (const peer of [...this.sessions.peers()]) this.ticking.add(peer);
  }

  private announceWhenDue(): void {
    if (this.global && this.otherGlobal.isDue(this.options.machine.now())) this.announceSelf();
  }

  view(peer: string): PeerView {
    const session = this.session(peer);
    return viewOf(session, {
      head: this.outbox.unsignedHead(peer),
      position: this.store.mirror.position(peer),
      notTaken: this.queue.isHeld(peer) ? OVER_BUDGET : this.outbox.whyNotTaken(peer),
      now: this.options.machine.now(),
      connected: this.connected,
      refused: this.options.transport.way(peer).refused,
      mostBytes: this.outbox.mostTo(peer),
      disabled: this.disabled.is(peer),
      timesAsked: this.performer.timesAsked(peer),
    });
  }

  /** This process ends, and its store is closed next: nothing is done any more, and what is under way is given up. */
  stop(): void {
    this.endedBy ??= 'this process ends';
  }

  /** What peers brought about that was to be warned of, since the start. */
  incidents(): readonly Incident[] {
    return this.throttled.incidents();
  }

  /** The peers that were heard of since the start. */
  peers(): readonly string[] {
    return [...this.sessions.peers()];
  }

  /** Why this process must not sync any more, if so. */
  ended(): string | undefined {
    return this.endedBy;
  }

  /** At global: another store whose process speaks as global too, if one does now. */
  stranger(): string | undefined {
    return this.otherGlobal.stranger(this.options.machine.now());
  }

  private get store() {
    return this.options.plane.store;
  }

  /** The peers whose feeds may have changed after a revision. */
  private concerned(since: number, term: number): Iterable<string> {
    const zones = term === this.store.head().term ? this.store.feed.concerned(since) : undefined;
    return zones ?? [...this.sessions.peers()];
  }

  private tell(peer: string): void {
    const since = this.untold.get(peer) ?? this.told.revision;
    this.untold.delete(peer);
    turns.run('tell', peerName(peer), () => this.handle(peer, { on: 'committed', since }));
  }

  private take(peer: string, text: string): void {
    const message = readMessage(this.throttled, peer, text);
    if (!message || this.endedBy !== undefined) return;
    this.outbox.heard(peer, message.takes);
    if (this.global && peer === GLOBAL_PEER) this.attempt(peer, () => this.hearGlobal(message.from));
    else turns.run('message', `from ${peerName(peer)}`, () => this.handle(peer, { on: 'message', message }));
  }

  /** The loop. What effects bring about waits for its turn: there is no step within a step. */
  private handle(peer: string, event: SessionEvent): void {
    this.events.push({ peer, event });
    if (this.stepping) return;
    this.stepping = true;
    try {
      for (let next = this.events.shift(); next; next = this.events.shift()) this.stepOrOwe(next.peer, next.event);
    } finally {
      this.stepping = false;
    }
  }

  /** What is not stepped happens again: statuses and timeouts. Only the outcome of an apply comes once. */
  private stepOrOwe(peer: string, event: SessionEvent): void {
    const done = this.attempt(peer, () => this.step(peer, event));
    if (!done && event.on === 'applied') this.owed.push({ peer, event });
  }

  /** A store that can't be read now (an error of the disk) ends nothing: false, and reported. */
  private attempt(peer: string, what: () => void): boolean {
    try {
      what();
      return true;
    } catch (thrown) {
      if (!(thrown instanceof MeridianError) || thrown.code !== 'unavailable') throw thrown;
      this.throttled.report('error', 'the store could not be read', { peer, reason: thrown.message });
      return false;
    }
  }

  private step(peer: string, event: SessionEvent): void {
    if (this.endedBy !== undefined) return;
    const before = this.session(peer);
    const context = contextOf({ ...this.options, outbox: this.outbox, disabled: this.disabled, performer: this.performer }, peer);
    const { state, effects } = step(before, event, context);
    if (this.mustWait(peer, event) || (!this.store.isFree() && this.performer.writes(peer, effects))) return this.hold(peer, event);
    this.outbox.want(peer, takenBytes(state.receiving, context));
    this.sessions.set(peer, state, this.options.machine.now());
    const { failures } = state.receiving;
    if (failures > before.receiving.failures) this.throttled.report('warn', 'a pull failed', { peer, failures });
    this.performer.perform(peer, effects);
  }

  /** As it is, also where something of the peer is held back. */
  private session(peer: string): Session {
    const session = this.sessions.get(peer);
    return this.held.has(peer) ? postpone(session, this.options.machine.now()) : session;
  }

  /** What comes of a peer stays in order; a tick, a question and the outcome of what was before have none. */
  private mustWait(peer: string, event: SessionEvent): boolean {
    if (event.on === 'tick' || event.on === 'applied' || (event.on === 'message' && event.message.body.kind === 'pull')) return false;
    return this.held.has(peer);
  }

  private hold(peer: string, event: SessionEvent): void {
    if (this.held.isEmpty() && event.on !== 'tick') {
      this.store.whenFree(() => {
        for (const held of this.held.take()) this.handle(held.peer, held.event);
      });
    }
    this.held.add(peer, event);
  }

  private end(reason: string): void {
    this.endedBy = reason;
    this.throttled.report('error', 'the sync of this process has ended', { reason });
  }

  private hearGlobal(from: Speaker): void {
    const due = this.otherGlobal.heard(from, this.outbox.speaker(), this.options.machine.now());
    if (due === 'end') this.end('a later process of global is running');
    else if (due === 'announce') this.announceSelf();
    else if (due === 'warn') this.throttled.report('warn', 'another store speaks as global', { peer: GLOBAL_PEER, store: from.store });
  }

  private announceSelf(): void {
    if (this.endedBy !== undefined) return;
    this.otherGlobal.announced(this.options.machine.now());
    this.outbox.send(GLOBAL_PEER, { kind: 'notice', code: 'superseded', message: 'a process of global is running' });
  }
}
