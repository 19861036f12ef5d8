import { MeridianError } from '../../errors.ts';
import { type About, MAX_TRANSFER_BYTES, type Pull, type Speaker } from '../../kds/protocol.ts';
import { makePush, servePull } from '../../kds/serve-pulls.ts';
import type { Outcome } from '../../kds/receiver.ts';
import { type Context, type Effect, newSession, type Session, type SessionEvent, step } from '../../kds/session.ts';
import { GLOBAL_PEER } from '../../resource/audience.ts';
import { Disabled } from '../peers/disabled-zones.ts';
import { type PeerView, viewOf } from '../peers/peer-view.ts';
import type { Machine } from '../plane/runtime-dependencies.ts';
import { OtherGlobal } from './other-global.ts';
import { placeOf, readPeer, writePeer } from '../peers/known-peers.ts';
import { isGlobal } from '../plane/plane.ts';
import { type Incident, type Quiet, quiet } from '../plane/throttled-report.ts';
import { readMessage } from './read-message.ts';
import { applyWhole, fill, isFirstFill, PER_SLICE } from '../receive/first-scan.ts';
import { FairQueue } from './fair-queue.ts';
import type { Transfer } from '../receive/apply-transfer.ts';
import { diverged, markDiverged } from '../operate/recover.ts';
import type { Report } from '../plane/report.ts';
import { reportedDigest } from '../peers/reported-refusals.ts';
import { writeEffect } from './store-effects.ts';
import { Turns } from '../plane/round-robin.ts';
import { Voice, type VoiceOptions } from './outbox.ts';
import { registerZone } from '../write/zone-registration.ts';

export interface SyncOptions extends VoiceOptions {
  readonly machine: Machine;
  readonly report: Report;
  /** Items of a first scan that are taken in one turn of the event loop; PER_SLICE. */
  readonly perSlice?: number | undefined;
}

/** Runs the sessions of one control plane: reads the context for each step, and performs the step's effects. */
export class Sync {
  private readonly options: SyncOptions;

  private readonly sessions = new Map<string, Session>();
  /** Messages wait encoded. If there are too many, they are dropped unread. */
  private readonly queue: FairQueue;
  /** The peers to be told of a commit, and those whose timeouts are due: a few at a time of a thousand sessions. */
  private readonly telling: Turns;
  private readonly ticking: Turns;
  private readonly voice: Voice;
  private readonly quiet: Quiet;
  private readonly global: boolean;
  private readonly otherGlobal = new OtherGlobal();
  private readonly disabled: Disabled;
  private connected = false;
  private endedBy: string | undefined;
  /** The term in which the store was found restored, where that can't be written (a full disk). */
  private restoredIn: number | undefined;

  constructor(options: SyncOptions) {
    this.options = options;
    this.global = isGlobal(options.plane.place);
    this.voice = new Voice(options);
    this.disabled = new Disabled(options.plane);
    this.quiet = quiet(options.report, options.machine.now);
    const { machine } = options;
    this.queue = new FairQueue((peer, text) => this.take(peer, text), machine);
    this.telling = new Turns((peer) => this.handle(peer, { on: 'committed' }), machine);
    this.ticking = new Turns((peer) => this.connected && this.handle(peer, { on: 'tick' }), machine);
    if (!this.global) this.sessions.set(GLOBAL_PEER, newSession(GLOBAL_PEER));
  }

  /** The connection came or went. */
  connection(connected: boolean): void {
    this.connected = connected;
    if (this.global && connected) this.announceSelf();
    for (const peer of this.sessions.keys()) this.handle(peer, { on: connected ? 'connected' : 'lost' });
  }

  /** A message from `peer`, as the transport proves it. */
  message(peer: string, text: string): void {
    if (this.endedBy === undefined) this.queue.add(peer, text);
  }

  /**
   * Whether a message from `peer` would be looked at now. Else it need not even be decoded: a flood must not keep us
   * from reading on.
   */
  hears(peer: string): boolean {
    return this.endedBy === undefined && !this.queue.isFull(peer);
  }

  /** Something was committed here. */
  committed(): void {
    // When a mesh has come, refused items of every peer are judged again.
    this.voice.forgetRefusals();
    this.announceCommit(undefined);
  }

  /** Call it several times a second. */
  tick(): void {
    this.quiet.flush();
    if (!this.connected) return;
    if (this.global && this.otherGlobal.isDue(this.options.machine.now())) this.announceSelf();
    for (const peer of this.sessions.keys()) this.ticking.add(peer);
  }

  view(peer: string): PeerView {
    const session = this.sessions.get(peer) ?? newSession(peer);
    return viewOf(session, this.voice.headFor(peer), this.store.mirror.position(peer), this.options.machine.now(), this.connected);
  }

  /** What peers brought about that was to be warned of, since the start. */
  incidents(): readonly Incident[] {
    return this.quiet.incidents();
  }

  /** The peers that were heard of since the start. */
  peers(): readonly string[] {
    return [...this.sessions.keys()];
  }

  /** Why this process must not sync any more, if so. */
  ended(): string | undefined {
    return this.endedBy;
  }

  /** At global: another store whose process speaks as global too, if one does now. */
  stranger(): string | undefined {
    return this.otherGlobal.stranger(this.options.machine.now());
  }

  private take(peer: string, text: string): void {
    const message = readMessage(this.quiet, peer, text);
    if (!message || this.endedBy !== undefined) return;
    if (this.global && peer === GLOBAL_PEER) this.hearGlobal(message.from);
    else this.handle(peer, { on: 'message', message });
  }

  private get store() {
    return this.options.plane.store;
  }

  private handle(peer: string, event: SessionEvent): void {
    if (this.endedBy !== undefined) return;
    const before = this.sessions.get(peer) ?? newSession(peer);
    const { state, effects } = step(before, event, this.context(peer));
    this.sessions.set(peer, state);
    const { failures } = state.receiving;
    if (failures > before.receiving.failures) this.quiet.report('warn', 'a pull failed', { peer, failures });
    const failed = effects.findIndex((effect) => !this.tryPerform(peer, effect));
    const left = failed < 0 ? [] : effects.slice(failed + 1);
    // Else the session would wait for ever for the outcome of an apply that never began.
    if (left.some((effect) => effect.do === 'apply')) this.handle(peer, { on: 'applied', outcome: 'failed' });
  }

  private context(peer: string): Context {
    const { machine } = this.options;
    return {
      self: this.voice.speaker(),
      head: this.voice.headFor(peer),
      position: this.store.mirror.position(peer),
      recordedRefusals: reportedDigest(this.store, peer),
      pin: readPeer(this.store, peer)?.store || undefined,
      disabled: this.disabled.is(peer),
      diverged: diverged(this.store) !== undefined || this.restoredIn === this.store.head().term,
      pushes: this.global,
      maxTransfer: this.global ? MAX_TRANSFER_BYTES : Number.POSITIVE_INFINITY,
      now: machine.now(),
      random: machine.random(),
      id: machine.id(),
    };
  }

  /**
   * False when the store can't write now (a full disk). The digest shows later what is missing, or the peer repeats it.
   */
  private tryPerform(peer: string, effect: Effect): boolean {
    try {
      this.perform(peer, effect);
      return true;
    } catch (thrown) {
      this.requireUnavailable(thrown, peer);
      return false;
    }
  }

  private requireUnavailable(thrown: unknown, peer: string): void {
    if (!(thrown instanceof MeridianError) || thrown.code !== 'unavailable') throw thrown;
    this.quiet.report('error', 'the store did not take what a peer sent', { peer, reason: thrown.message });
  }

  private perform(peer: string, effect: Effect): void {
    switch (effect.do) {
      case 'send':
        return this.voice.send(peer, effect.body);
      case 'send-status':
        return this.voice.send(peer, this.voice.statusOf(peer));
      case 'push':
        return this.push(peer, effect.base);
      case 'serve':
        return this.serve(peer, effect.pull);
      case 'apply':
        return this.apply(peer, effect);
      case 'stopped':
        return this.stopped(peer, effect);
      case 'introduce':
        return this.introduce(peer, effect.about);
      default:
        return writeEffect(this.options.plane, peer, effect);
    }
  }

  private push(peer: string, base: Extract<Effect, { do: 'push' }>['base']): void {
    const push = makePush(this.store, peer, base, this.voice.headFor(peer));
    if (push) this.voice.send(peer, push.body, push.lines);
    else this.voice.send(peer, this.voice.statusOf(peer));
  }

  private serve(peer: string, pull: Pull): void {
    const answer = servePull({ store: this.store, sign: this.options.sign }, peer, pull);
    if ('body' in answer) return this.voice.send(peer, answer.body, answer.lines);
    this.restoredIn = this.store.head().term;
    this.store.commit((tx) => markDiverged(tx, answer));
    this.quiet.report('error', 'this store was restored or rewritten', {
      peer,
      reason: answer.diverged,
      hint: 'run meridianctl recover',
    });
    this.voice.send(peer, { kind: 'notice', code: 'diverged', message: answer.diverged.slice(0, 500) });
  }

  private apply(peer: string, { mode, lines, end }: Extract<Effect, { do: 'apply' }>): void {
    const { plane, perSlice } = this.options;
    const origin = placeOf(this.store, peer);
    const before = this.store.head().revision;
    const transfer = origin && { peer, origin, mode, lines, end };
    if (!transfer) this.handle(peer, { on: 'applied', outcome: 'failed' });
    else if (isFirstFill(plane, transfer)) this.go(transfer, before, fill(plane, transfer, perSlice ?? PER_SLICE));
    else
      this.applied(
        transfer,
        before,
        this.attempt(peer, () => applyWhole(plane, transfer)),
      );
  }

  /** One part of a fill. The next one follows soon, after other tasks. */
  private go(transfer: Transfer, before: number, filling: Generator<void, Outcome>): void {
    if (this.endedBy !== undefined) return;
    const outcome = this.attempt(transfer.peer, () => filling.next().value ?? 'more');
    if (outcome === 'more') this.options.machine.soon(() => this.go(transfer, before, filling));
    else this.applied(transfer, before, outcome);
  }

  private applied({ peer, mode, end }: Transfer, before: number, outcome: Outcome): void {
    this.voice.forgetRefusals(peer);
    if (outcome === 'mismatch') this.quiet.report('warn', 'the digest does not match', { peer, mode, revision: end.revision });
    this.handle(peer, { on: 'applied', outcome });
    if (this.store.head().revision !== before) this.announceCommit(peer);
  }

  /** A store that can't write now (a full disk) is tried again later; nothing was written. */
  private attempt<T>(peer: string, what: () => T): T | 'failed' {
    try {
      return what();
    } catch (thrown) {
      this.requireUnavailable(thrown, peer);
      return 'failed';
    }
  }

  private introduce(peer: string, about: About): void {
    const known = readPeer(this.store, peer);
    if (!this.global || !known || known.about) return;
    this.store.commit((tx) => {
      writePeer(tx, peer, { ...known, about });
      registerZone(tx, this.options.plane, peer);
    });
    this.quiet.report('info', 'a zone introduced itself', { zone: peer, ...about });
    this.announceCommit(undefined);
  }

  private stopped(peer: string, { code, message }: Extract<Effect, { do: 'stopped' }>): void {
    this.quiet.report('warn', 'the peer exchanges nothing', { peer, code, message });
    // Only global may end a zone's process; what a zone says of global is only shown.
    if (code === 'superseded' && peer === GLOBAL_PEER) this.end(message);
  }

  private end(reason: string): void {
    this.endedBy = reason;
    this.quiet.report('error', 'the sync of this process has ended', { reason });
  }

  private announceCommit(except: string | undefined): void {
    for (const peer of this.sessions.keys()) if (peer !== except) this.telling.add(peer);
  }

  private hearGlobal(from: Speaker): void {
    const due = this.otherGlobal.heard(from, this.voice.speaker(), this.options.machine.now());
    if (due === 'end') this.end('a later process of global is running');
    else if (due === 'announce') this.announceSelf();
    else if (due === 'warn') this.quiet.report('warn', 'another store speaks as global', { peer: GLOBAL_PEER, store: from.store });
  }

  private announceSelf(): void {
    if (this.endedBy !== undefined) return;
    this.otherGlobal.announced(this.options.machine.now());
    this.voice.send(GLOBAL_PEER, { kind: 'notice', code: 'superseded', message: 'a process of global is running' });
  }
}
