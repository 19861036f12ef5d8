import { MeridianError } from '../../errors.ts';
import type { Clock } from './clock.ts';
import type { EncodedResource } from '../wire/encode-resource.ts';
import { type ProxyRefusal, Nacks } from './nacks.ts';
import type { DeltaRequest } from '../wire/delta-messages.ts';

/** The resources of one type that there are, by name. */
export type Resources = ReadonlyMap<string, EncodedResource>;

/** A response's content. */
export interface ResponseContent {
  readonly resources: readonly EncodedResource[];
  readonly removed: readonly string[];
}

export interface SubscriptionView {
  /** How many resources the proxy has, as far as it said. */
  readonly accepted: number;
  /** Whether a response waits for its answer. */
  readonly waiting: boolean;
  readonly refused: readonly ProxyRefusal[];
  /** How many there were. */
  readonly responses: ResponseCounters;
}

interface ResponseCounters {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
}

/** The version of a resource that is not there. */
const ABSENT = '';
/** That of a resource of which a proxy has one version or another: it refused the last. No hash is written so. */
const UNKNOWN = '?';
const MOST_NAMES = 10_000;

/**
 * One type on one stream: what the proxy asked for, what it has, and what it should be sent next.
 * One response at a time is on its way, so that its answer tells what the proxy has, and a proxy that does not answer
 * holds no more than that one in memory: the next is made from what there is then.
 *
 *   has a=1 b=1, there is a=2 b=1 c=1   next: {a=2, c=1}
 *   refused                             next: {a=2}, then {c=1}: each alone, so that a bad one holds up no other
 *   {a=2} refused, {c=1} accepted       a=2 again after a pause, or a=3 as soon as there is one
 */
export class Subscription {
  private readonly all: boolean;
  private readonly names = new Set<string>();
  /** Names that need an answer even if it is that there is no such thing. */
  private readonly unanswered = new Set<string>();
  private readonly has = new Map<string, string>();
  private readonly alone = new Set<string>();
  private readonly refusals: Nacks;
  private pending: { readonly nonce: string; readonly versions: ReadonlyMap<string, string> } | undefined;
  private answered = false;
  private sent = 0;
  private taken = 0;
  private rejected = 0;

  /** `first` is the first request of the type. `wildcard`: a first request that names nothing asks for everything. */
  constructor(first: DeltaRequest, wildcard: boolean, clock: Clock) {
    this.all = (wildcard && first.subscribe.length === 0) || first.subscribe.includes('*');
    this.refusals = new Nacks(clock);
    this.subscribe(first.subscribe);
    for (const [name, version] of Object.entries(first.initialVersions)) if (this.wants(name)) this.has.set(name, version);
  }

  /** Whether a response waits for its answer. */
  get waiting(): boolean {
    return this.pending !== undefined;
  }

  /** A later request. It may answer the response that is on its way, and change what is asked for. */
  request({ nonce, error, subscribe, unsubscribe }: DeltaRequest): void {
    if (this.pending !== undefined && nonce === this.pending.nonce) {
      if (error === undefined) this.accepted(this.pending.versions);
      else this.refused(this.pending.versions, error);
      if (error === undefined) this.taken++;
      else this.rejected++;
      this.pending = undefined;
    }
    // Who asks again for what it has, wants it again.
    for (const name of subscribe) this.has.delete(name);
    this.subscribe(subscribe);
    for (const name of unsubscribe) this.forget(name);
  }

  /**
   * What to send now, under this nonce; undefined: nothing. `mayRemove`: whether the proxy can do without what is gone.
   */
  next(there: Resources, nonce: string, mayRemove: boolean): ResponseContent | undefined {
    if (this.pending) return undefined;
    const differing = this.differing(there).filter((name) => !this.refusals.holds(name, versionIn(there, name)));
    const allowed = differing.filter((name) => mayRemove || there.has(name) || !this.has.has(name));
    const together = allowed.filter((name) => !this.alone.has(name));
    const chosen = together.length > 0 ? together : allowed.slice(0, 1);
    if (chosen.length === 0 && this.answered) return undefined;
    this.answered = true;
    this.sent++;
    for (const name of chosen) this.unanswered.delete(name);
    this.pending = { nonce, versions: new Map(chosen.map((name) => [name, versionIn(there, name)])) };
    return {
      resources: chosen.map((name) => there.get(name)).filter((resource) => resource !== undefined),
      removed: chosen.filter((name) => !there.has(name)),
    };
  }

  /** Whether the proxy has said that it has what there is, and nothing else. */
  settled(there: Resources): boolean {
    return !this.pending && this.differing(there).length === 0;
  }

  retryAt(since: number): number | undefined {
    return this.refusals.retryAt(since);
  }

  view(): SubscriptionView {
    const accepted = [...this.has.values()].filter((version) => version !== UNKNOWN).length;
    const responses = { sent: this.sent, accepted: this.taken, refused: this.rejected };
    return { accepted, waiting: this.waiting, refused: this.refusals.list(), responses };
  }

  private wants(name: string): boolean {
    return this.all || this.names.has(name);
  }

  private differing(there: Resources): string[] {
    const wanted = this.all ? [...there.keys()] : [...this.names].filter((name) => there.has(name));
    const changed = wanted.filter((name) => this.has.get(name) !== versionIn(there, name));
    const gone = new Set([...this.has.keys(), ...this.unanswered].filter((name) => !there.has(name)));
    return [...changed, ...gone];
  }

  private subscribe(names: readonly string[]): void {
    for (const name of names) {
      if (name === '*') continue;
      this.names.add(name);
      this.unanswered.add(name);
    }
    if (this.names.size > MOST_NAMES) throw new MeridianError('too_large', `more than ${MOST_NAMES} names of one type are asked for`);
  }

  private forget(name: string): void {
    this.names.delete(name);
    this.unanswered.delete(name);
    if (this.wants(name)) return;
    this.has.delete(name);
    this.alone.delete(name);
    this.refusals.clear(name);
  }

  private accepted(versions: ReadonlyMap<string, string>): void {
    for (const [name, version] of versions) {
      this.refusals.clear(name);
      this.alone.delete(name);
      if (version === ABSENT) this.has.delete(name);
      else if (this.wants(name)) this.has.set(name, version);
    }
  }

  /** Of several, each may be the bad one, and the others may have been taken or not. */
  private refused(versions: ReadonlyMap<string, string>, message: string): void {
    for (const [name, version] of versions) {
      if (!this.wants(name)) continue;
      this.has.set(name, UNKNOWN);
      this.alone.add(name);
      if (versions.size === 1) this.refusals.add(name, version, message);
    }
  }
}

function versionIn(there: Resources, name: string): string {
  return there.get(name)?.version ?? ABSENT;
}
