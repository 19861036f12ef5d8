import { MeridianError } from '../../errors.ts';
import {
  type AccessAsk,
  type AccessReply,
  ASK_TIMEOUT,
  decodeAsk,
  decodeReply,
  encodeAsk,
  encodeReply,
  MAX_ASK_BYTES,
} from '../../kds/access/access-messages.ts';
import type { Lane, ZoneLanes } from '../../kds/access/zone-lanes.ts';
import { homeOf } from '../../policy/callers/caller-identity.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import type { Report } from '../../report.ts';
import { zoneState } from '../peers/zone-state.ts';
import type { Plane } from '../plane/plane.ts';
import { turns } from '../plane/long-turns.ts';
import { throttledReport, type ThrottledReport } from '../plane/throttled-report.ts';
import { TimeBudget } from '../plane/time-budget.ts';
import { type AskGround, decideAsk } from './decide-ask.ts';
import { type DropReason, ExchangeCounts, type TokenUse } from './exchange-counts.ts';
import { PolicyCounts } from './policy-counts.ts';
import { IssuedTokens, TOKEN_LIFE, type TokenMachine } from './issued-tokens.ts';

/** What of this process's time the questions of one zone may take: a quarter, and a second that it did not use. ms */
const ASK_RATE = { burst: 1_000, perSecond: 250 };
/** Questions of this zone that may wait for an answer, of one zone and of all. */
const MOST_OPEN = 256;
const MOST_OPEN_IN_ALL = 2_048;
/** So long a zone that did not answer is asked nothing. ms */
const SILENT_FOR = 2_000;

export interface ExchangeMachine extends TokenMachine {
  /** Unique and unguessable, hex. */
  readonly id: () => string;
  /** Runs a task later; what comes out calls it off. */
  readonly after: (milliseconds: number, task: () => void) => () => void;
}

export interface ExchangeOptions extends AskGround {
  /** undefined: a zone that stands alone. */
  readonly lanes: ZoneLanes | undefined;
  readonly machine: ExchangeMachine;
  readonly report: Report;
}

/** What came of a question: an answer, or why there is none. */
export type AskOutcome = AccessReply | { readonly none: 'away' | 'no-answer' | 'too-many' | 'too-large'; readonly reason: string };

/**
 * What a zone asks the others, and what they ask it (docs/design/attributes.md#both-sides). Global takes no part in it.
 * Whatever goes wrong is a deny: no answer, a late one, one that can't be read, or of a zone that was not asked.
 */
export class ZoneExchange {
  readonly counts = new ExchangeCounts();
  /** What policies decided about callers of other zones. */
  readonly policies = new PolicyCounts();
  readonly #options: ExchangeOptions;
  readonly #tokens: IssuedTokens;
  readonly #budget: TimeBudget;
  readonly #throttled: ThrottledReport;
  /** What waits for an answer, by the zone that was asked and the id. */
  readonly #open = new Map<string, Map<string, (outcome: AskOutcome) => void>>();
  #openInAll = 0;
  /** When zones did not answer. Monotonic, ms. */
  readonly #silent = new Map<string, number>();

  constructor(options: ExchangeOptions) {
    this.#options = options;
    const { machine, report, lanes } = options;
    this.#tokens = new IssuedTokens(machine);
    this.#budget = new TimeBudget(machine.now, ASK_RATE);
    this.#throttled = throttledReport(report, machine.now);
    lanes?.onSaid((lane, zone, text) => this.#onSaid(lane, zone, text));
  }

  /** Why a zone can't be asked now; undefined: it can. */
  away(zone: string): string | undefined {
    const { plane, lanes, machine } = this.#options;
    if (zone === plane.place.zone) return undefined;
    if (!lanes) return 'there is no NATS: this zone stands alone';
    const since = this.#silent.get(zone);
    const isSilent = since !== undefined && machine.now() - since < SILENT_FOR;
    return lanes.unreachable(zone) ?? (isSilent ? silenceOf(zone) : undefined);
  }

  /** Asks the zone of a service. What this zone has itself is decided here, in the same way. */
  ask(zone: string, question: Omit<AccessAsk, 'id'>): Promise<AskOutcome> {
    const { plane, lanes, machine } = this.#options;
    const id = machine.id();
    if (zone === plane.place.zone) return Promise.resolve(this.#replyTo(zone, { id, ...question }));
    const why = this.away(zone);
    if (!lanes || why !== undefined) return Promise.resolve({ none: 'away', reason: why ?? '' });
    const text = encodeAsk({ id, ...question });
    if (Buffer.byteLength(text) > MAX_ASK_BYTES)
      return Promise.resolve({ none: 'too-large', reason: 'the attributes of the caller are more than can be asked with' });
    const open = this.#open.get(zone) ?? new Map<string, (outcome: AskOutcome) => void>();
    if (open.size >= MOST_OPEN || this.#openInAll >= MOST_OPEN_IN_ALL)
      return Promise.resolve({ none: 'too-many', reason: `too many questions to zone ${zone} wait for an answer` });
    this.#open.set(zone, open);
    this.#openInAll += 1;
    return new Promise((resolve) => {
      const callOff = machine.after(ASK_TIMEOUT, () => this.#onSilence(zone, id));
      open.set(id, (outcome) => {
        callOff();
        open.delete(id);
        if (open.size === 0) this.#open.delete(zone);
        this.#openInAll -= 1;
        resolve(outcome);
      });
      lanes.say('ask', zone, text);
    });
  }

  /**
   * Uses a token up. `caller`: the SPIFFE ID that its certificate proves; `service`: what it is let in to. A zone that
   * was disabled since lets nobody in, and none lets in an identity of another one's proxies.
   */
  consume(token: string, caller: string, service: Key): { readonly use: TokenUse; readonly zone?: string } {
    const { plane } = this.#options;
    const consumed = this.#tokens.consume(token, caller, service);
    const use = consumed.outcome === 'consumed' ? useOf(plane.store, consumed.zone, caller, service) : consumed.outcome;
    this.counts.shown(use);
    return consumed.outcome === 'consumed' ? { use, zone: consumed.zone } : { use };
  }

  /** Call it several times a second. */
  tick(): void {
    this.#throttled.flush();
    this.#budget.settle();
    const now = this.#options.machine.now();
    for (const [zone, since] of this.#silent) if (now - since >= SILENT_FOR) this.#silent.delete(zone);
  }

  /** This process ends: who waits is denied. */
  stop(): void {
    const reason = 'this zone is being stopped';
    for (const open of [...this.#open.values()]) for (const settle of [...open.values()]) settle({ none: 'away', reason });
  }

  #onSilence(zone: string, id: string): void {
    this.#silent.set(zone, this.#options.machine.now());
    this.#open.get(zone)?.get(id)?.({ none: 'no-answer', reason: silenceOf(zone) });
  }

  /** A zone that says more than it may is not looked at: then what it is asked has no answer either. */
  #onSaid(lane: Lane, zone: string, text: () => string): void {
    if (this.#budget.isOver(zone)) return this.#drop(lane, zone, 'over-budget');
    const hear = () => (lane === 'ask' ? this.#onAsk(zone, text()) : this.#onReply(zone, text()));
    this.#budget.charge(zone, () => turns.run('access', `${lane} of ${zone}`, hear));
  }

  #onReply(zone: string, text: string): void {
    this.#silent.delete(zone);
    const reply = decodeReply(text);
    const settle = reply && this.#open.get(zone)?.get(reply.id);
    if (settle) settle(reply);
    else this.#drop('answer', zone, reply ? 'not-awaited' : 'unreadable');
  }

  #onAsk(zone: string, text: string): void {
    this.#silent.delete(zone);
    const read = decodeAsk(text);
    if (!read) return this.#drop('ask', zone, 'unreadable');
    try {
      const reply = read.ask ? this.#replyTo(zone, read.ask) : this.#unreadable(read.id);
      this.#options.lanes?.say('answer', zone, encodeReply(reply));
      if (!reply.allowed && reply.why !== 'policy' && reply.why !== 'no-policy')
        this.#throttled.report('warn', 'a question was refused', { peer: zone, code: reply.why, reason: reply.reason });
    } catch (thrown) {
      // A store that can't be read now: the other zone denies when it gets no answer.
      if (!(thrown instanceof MeridianError) || thrown.code !== 'unavailable') throw thrown;
      this.#throttled.report('error', 'the store could not be read', { peer: zone, reason: thrown.message });
    }
  }

  #replyTo(zone: string, { id, ...ask }: AccessAsk): AccessReply {
    const decision = decideAsk(this.#options, zone, ask);
    const decidedBy = decision.decidedBy ? formatKri(decision.decidedBy) : null;
    const token = decision.allowed ? this.#tokens.issue(zone, ask.caller.identity, decision.service) : undefined;
    const { reason } = decision;
    this.policies.decided(decision.allowed, decision.decidedBy);
    this.counts.asked(decision.allowed ? (token === undefined ? 'too-many-tokens' : 'allowed') : decision.why);
    if (!decision.allowed) return { id, allowed: false, why: decision.why, decidedBy, reason };
    if (token !== undefined) return { id, allowed: true, decidedBy, reason, token, expiresIn: TOKEN_LIFE };
    const many = `too many tokens for callers of zone ${zone} are unused`;
    return { id, allowed: false, why: 'too-many-tokens', decidedBy: null, reason: many };
  }

  #unreadable(id: string): AccessReply {
    this.counts.asked('unreadable');
    const reason = `zone ${this.#options.plane.place.zone} can't read the question: it may be of another version`;
    return { id, allowed: false, why: 'unreadable', decidedBy: null, reason };
  }

  #drop(lane: Lane, zone: string, reason: DropReason): void {
    this.counts.dropped(lane === 'ask' ? 'server' : 'client', reason);
    this.#throttled.report('warn', 'what a zone said was dropped', { peer: zone, code: `${lane}: ${reason}` });
  }
}

/** Of a token of a zone. Whose identity can't be told from its name may be anybody's: the zone answers for it. */
function useOf(store: Plane['store'], zone: string, caller: string, { mesh }: Key): TokenUse {
  const home = homeOf(caller);
  if (home && (home.zone !== zone || home.mesh !== mesh)) return 'other-zone';
  return zoneState(store, zone) === 'disabled' ? 'disabled-zone' : 'consumed';
}

function silenceOf(zone: string): string {
  return `zone ${zone} did not answer within ${ASK_TIMEOUT / 1000} s`;
}
