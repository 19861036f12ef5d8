import { MeridianError } from '../../errors.ts';
import { pageBytes, type ZoneInfo, type Pull } from '../../kds/protocol.ts';
import type { ApplyOutcome } from '../../kds/receiver.ts';
import { type Divergence, makePush, servePull } from '../../kds/serve-pulls.ts';
import type { Effect, SessionEvent } from '../../kds/session.ts';
import { GLOBAL_PEER, peerName } from '../../resource/audience.ts';
import { diverged, markDiverged } from '../peers/divergence.ts';
import { placeOf, readPeer, writePeer } from '../peers/known-peers.ts';
import { perPeer } from '../peers/per-peer.ts';
import { isGlobal } from '../plane/plane.ts';
import type { ThrottledReport } from '../plane/throttled-report.ts';
import type { Transfer } from '../receive/apply-transfer.ts';
import { applyWhole, applyFirstScan, isFirstScan, PER_SLICE } from '../receive/first-scan.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { sliceOf } from '../plane/in-turns.ts';
import { turns } from '../plane/long-turns.ts';
import { registerZone } from '../write/zone-registration.ts';
import type { Outbox } from './outbox.ts';
import { writeEffect } from './store-effects.ts';
import type { SyncOptions } from './sync-options.ts';

export interface PerformerOptions extends SyncOptions {
  readonly outbox: Outbox;
  readonly throttled: ThrottledReport;
  /** Does what takes the time of this process for a peer. */
  readonly charge: (peer: string, what: () => void) => void;
  /** What an effect brought about: an event for the loop. */
  readonly happened: (peer: string, event: SessionEvent) => void;
  /** This process must not sync any more. */
  readonly end: (reason: string) => void;
  readonly hasEnded: () => boolean;
}

/** What an effect does to the store; a zone that introduces itself is written down once. */
const WRITES: Readonly<Record<Exclude<Effect['do'], 'introduce'>, boolean>> = {
  send: false,
  'send-status': false,
  push: false,
  serve: false,
  stopped: false,
  apply: true,
  stage: true,
  unstage: true,
  adopt: true,
  pin: true,
  refusals: true,
};

/** Does what the sessions say (`Effect`, src/kds/session.ts): sends, serves, writes, applies. */
export class Performer {
  private readonly options: PerformerOptions;

  /** What a peer showed that proves this store restored, and in which term: perhaps that can't be written yet. */
  private restored: { readonly peer: string; readonly by: Divergence; readonly term: number } | undefined;
  /** Whose transfer made the last revision that one made, and which. */
  private last = { peer: '', revision: -1 };
  /** What each peer asked last, and how often: repeated, for our answers do not arrive. */
  private readonly lastPulls = perPeer<{ readonly id: string; readonly times: number }>();

  constructor(options: PerformerOptions) {
    this.options = options;
  }

  /**
   * All effects of one step. When the store can't write now (a full disk), the others are left: the digest shows later
   * what is missing, or the peer repeats it.
   */
  perform(peer: string, effects: readonly Effect[]): void {
    const failed = effects.findIndex((effect) => this.attempt(peer, () => this.one(peer, effect)) === 'failed');
    const left = failed < 0 ? [] : effects.slice(failed + 1);
    // Else the session would wait for ever for the outcome of an apply that never began.
    if (left.some((effect) => effect.do === 'apply')) this.options.happened(peer, { on: 'applied', outcome: 'failed' });
  }

  /** Whether one of the effects may write to the store. */
  writes(peer: string, effects: readonly Effect[]): boolean {
    return effects.some((effect) => (effect.do === 'introduce' ? this.isNew(peer) : WRITES[effect.do]));
  }

  /** Whether this store was found restored, and waits for `recover`. */
  isHalted(): boolean {
    return diverged(this.store) !== undefined || this.restored?.term === this.store.head().term;
  }

  /** Writes down that this store was found restored, where that could not be done yet: a full disk, a large write. */
  writeRestored(): void {
    const { restored, store } = this;
    if (!restored || restored.term !== store.head().term || diverged(store) !== undefined) return;
    this.attempt(restored.peer, () => store.commit((tx) => markDiverged(tx, restored.by)));
  }

  /** How often a peer asked for what it asked last. */
  timesAsked(peer: string): number {
    return this.lastPulls.get(peer)?.times ?? 0;
  }

  /** The peer whose items alone were committed in this revision; undefined: there is none. */
  broughtBy(revision: number): string | undefined {
    return this.last.revision === revision ? this.last.peer : undefined;
  }

  private get store() {
    return this.options.plane.store;
  }

  private one(peer: string, effect: Effect): void {
    const { outbox, plane } = this.options;
    switch (effect.do) {
      case 'send':
        return outbox.send(peer, effect.body);
      case 'send-status':
        return outbox.send(peer, outbox.statusOf(peer, this.isHalted()));
      case 'push':
        return this.push(peer, effect);
      case 'serve':
        return this.serve(peer, effect.pull);
      case 'apply':
        return this.apply(peer, effect);
      case 'stopped':
        return this.stopped(peer, effect);
      case 'introduce':
        return this.introduce(peer, effect.about);
      case 'stage':
      case 'unstage':
      case 'adopt':
      case 'pin':
      case 'refusals':
        return writeEffect(plane, peer, effect);
    }
  }

  private push(peer: string, { base, since }: Extract<Effect, { do: 'push' }>): void {
    const { outbox } = this.options;
    const push = makePush(this.store, peer, base, since, outbox.headFor(peer), pageBytes(outbox.mostTo(peer)));
    if (push) outbox.send(peer, push.body, push.lines);
    else outbox.send(peer, outbox.statusOf(peer, this.isHalted()));
  }

  private serve(peer: string, pull: Pull): void {
    const { outbox, sign, throttled } = this.options;
    const before = this.lastPulls.get(peer);
    this.lastPulls.set(peer, { id: pull.id, times: before?.id === pull.id ? before.times + 1 : 1 });
    const answer = servePull({ store: this.store, sign, pageBytes: pageBytes(outbox.mostTo(peer)) }, peer, pull);
    if ('body' in answer) return outbox.send(peer, answer.body, answer.lines);
    this.restored = { peer, by: answer, term: this.store.head().term };
    this.store.whenFree(() => this.writeRestored());
    throttled.report('error', 'this store was restored or rewritten', { peer, reason: answer.diverged, hint: 'run meridianctl recover' });
    outbox.send(peer, { kind: 'notice', code: 'diverged', message: answer.diverged.slice(0, 500) });
  }

  private apply(peer: string, { mode, lines, end }: Extract<Effect, { do: 'apply' }>): void {
    const { plane, perSlice } = this.options;
    const origin = placeOf(this.store, peer);
    const transfer = origin && { peer, origin, mode, lines, end };
    if (!transfer) this.options.happened(peer, { on: 'applied', outcome: 'failed' });
    else if (isFirstScan(plane, transfer)) this.go(transfer, applyFirstScan(plane, transfer, perSlice ?? PER_SLICE));
    else this.go(transfer, applyWhole(plane, transfer));
  }

  /** A slice of a transfer. The next one follows soon, after other tasks. */
  private go(transfer: Transfer, work: Parts<ApplyOutcome>): void {
    const { charge, hasEnded, machine, perSlice } = this.options;
    if (hasEnded()) return void work.return('failed');
    const slice = () => (perSlice === undefined ? sliceOf(work, machine.now) : work.next());
    const step = turns.run('transfer', `from ${peerName(transfer.peer)}`, () => this.take(transfer.peer, slice));
    const goOn = (): void => charge(transfer.peer, () => this.go(transfer, work));
    if (step === 'failed') this.applied(transfer, 'failed');
    else if (step.done) this.applied(transfer, step.value);
    else if (step.value) void step.value.then(goOn);
    else machine.soon(goOn);
  }

  private applied({ peer, mode, end }: Transfer, outcome: ApplyOutcome): void {
    if (outcome === 'mismatch') this.options.throttled.report('warn', 'the digest does not match', { peer, mode, revision: end.revision });
    this.options.happened(peer, { on: 'applied', outcome });
  }

  /** Commits what a peer sent, and keeps in mind that the revision is of that. */
  private take<T>(peer: string, what: () => T): T | 'failed' {
    const before = this.store.head().revision;
    this.options.outbox.took(peer, undefined);
    const outcome = this.attempt(peer, what);
    const { revision } = this.store.head();
    if (revision !== before) this.last = { peer, revision };
    return outcome;
  }

  /** A store that can't write now (a full disk) is tried again later; nothing was written. */
  private attempt<T>(peer: string, what: () => T): T | 'failed' {
    try {
      return what();
    } catch (thrown) {
      if (!(thrown instanceof MeridianError) || thrown.code !== 'unavailable') throw thrown;
      this.options.outbox.took(peer, thrown.message);
      this.options.throttled.report('error', 'the store did not take what a peer sent', { peer, reason: thrown.message });
      return 'failed';
    }
  }

  private isNew(peer: string): boolean {
    return isGlobal(this.options.plane.place) && !readPeer(this.store, peer)?.about;
  }

  private introduce(peer: string, about: ZoneInfo): void {
    const { plane, throttled } = this.options;
    const known = readPeer(this.store, peer);
    if (!known || !this.isNew(peer)) return;
    this.store.commit((tx) => {
      writePeer(tx, peer, { ...known, about });
      registerZone(tx, plane, peer, about.attributes);
    });
    throttled.report('info', 'a zone introduced itself', { zone: peer, ...about });
  }

  private stopped(peer: string, { code, message }: Extract<Effect, { do: 'stopped' }>): void {
    this.options.throttled.report('warn', 'the peer exchanges nothing', { peer, code, message });
    // Only global may end a zone's process; what a zone says of global is only shown.
    if (code === 'superseded' && peer === GLOBAL_PEER) this.options.end(message);
  }
}
