import { type ZoneInfo, type Body, type Message, type Notice, type Pull, SILENCE, type Speaker, type Status } from './protocol.ts';
import type { Context } from './session-context.ts';
import {
  NEW_RECEIVING,
  onApplied,
  onHead,
  onLost,
  onPage,
  onPush,
  onTick,
  type ApplyOutcome,
  type ReceiverStep,
  type ReceiverEffect,
  type Receiving,
} from './receiver.ts';
import {
  acknowledge,
  announce,
  NEW_SENDING,
  onAck,
  onCommit,
  onSenderTick,
  type SenderEffect,
  type Sending,
  type SenderStep,
} from './sender.ts';
import {
  askRefusals,
  type RefusalTransferStep,
  type RefusalTransfer,
  type RefusalTransferEffect,
  onRefusalPage,
  onRefusalTick,
} from './refusal-transfer.ts';
import { HALTED, haltedBy, isOf, isPinned, noticeTo, orderOf, type Rival, rivalOf, type Stranger, strangerOf } from './sender-identity.ts';

/**
 * One session per peer: both halves, and which process may speak for the peer. Pure: `step(state, event, context)`
 * gives the next state and what is to be done. The same code runs on NATS and in the simulator.
 */
export interface Session {
  readonly peer: string;
  /** The process that speaks for the peer, and when it was last heard (monotonic ms). */
  readonly speaker?: Speaker | undefined;
  readonly heardAt: number;
  readonly rival?: Rival | undefined;
  readonly about?: ZoneInfo | undefined;
  readonly receiving: Receiving;
  readonly sending: Sending;
  /** The transfer of the peer's refusals, if one is running. */
  readonly listing?: RefusalTransfer | undefined;
  /** Why nothing is exchanged with this peer. `store`: the store that was refused, since another one is pinned. */
  readonly stopped?: { readonly code: Notice['code']; readonly message: string; readonly store?: string | undefined } | undefined;
  /** Another store spoke for the peer while the pinned one does: it was refused, and stops nothing. */
  readonly stranger?: Stranger | undefined;
}

export type SessionEvent =
  | { readonly on: 'connected' }
  | { readonly on: 'lost' }
  | { readonly on: 'tick' }
  /** Of commits after revision `since`, some of which may be in the peer's feed. */
  | { readonly on: 'committed'; readonly since: number }
  | { readonly on: 'message'; readonly message: Message }
  | { readonly on: 'applied'; readonly outcome: ApplyOutcome };

export type Effect =
  | Exclude<ReceiverEffect, { do: 'ask' }>
  | Exclude<SenderEffect, { do: 'status' }>
  | { readonly do: 'send-status' }
  | { readonly do: 'send'; readonly body: Body }
  | { readonly do: 'serve'; readonly pull: Pull }
  | { readonly do: 'pin'; readonly store: string }
  | { readonly do: 'introduce'; readonly about: ZoneInfo }
  | Exclude<RefusalTransferEffect, { do: 'ask' }>
  /** The peer proved that this process must stop: the operator is told. */
  | { readonly do: 'stopped'; readonly code: Notice['code']; readonly message: string };

export interface SessionStep {
  readonly state: Session;
  readonly effects: readonly Effect[];
}

export function newSession(peer: string): Session {
  return { peer, heardAt: Number.NEGATIVE_INFINITY, receiving: NEW_RECEIVING, sending: NEW_SENDING };
}

export function step(state: Session, event: SessionEvent, context: Context): SessionStep {
  switch (event.on) {
    case 'connected':
      return connected(state, context);
    case 'lost':
      return lost(state);
    case 'tick':
      return tick(state, context);
    case 'committed':
      return sender(state, onCommit(state.sending, event.since, senderContext(state, context)), context);
    case 'applied':
      return applied(state, event.outcome, context);
    case 'message':
      return message(state, event.message, context);
  }
}

/**
 * What the peer says can't be looked at now: it is heard of, and an answer of it may be among that. So none is late,
 * and nothing is asked again for less at once.
 */
export function postpone(state: Session, now: number): Session {
  const { receiving, listing } = state;
  const asking = receiving.asking && { ...receiving.asking, sentAt: now };
  return { ...state, heardAt: now, receiving: { ...receiving, asking }, listing: listing && { ...listing, sentAt: now } };
}

function connected(state: Session, context: Context): SessionStep {
  const cleared = lost(state);
  return join(cleared, sender(cleared.state, announce(cleared.state.sending, context.now), context));
}

function lost(state: Session): SessionStep {
  const { state: receiving, effects } = onLost(state.receiving);
  const cleared = { ...state, receiving, sending: { ...state.sending, base: undefined }, listing: undefined };
  return { state: cleared, effects: effects.map(receiverEffect) };
}

function tick(state: Session, context: Context): SessionStep {
  const sent = sender(state, onSenderTick(state.sending, senderContext(state, context)), context);
  if (blocked(sent.state, context)) return sent;
  const asked = join(sent, receiver(sent.state, onTick(sent.state.receiving, context)));
  const { listing } = asked.state;
  return listing ? join(asked, listed(asked.state, onRefusalTick(listing, context.now))) : asked;
}

/** After a commit of the peer's items the peer is told: its ledger shows it. */
function applied(state: Session, outcome: ApplyOutcome, context: Context): SessionStep {
  const received = receiver(state, onApplied(state.receiving, outcome, context));
  return join(received, sender(received.state, acknowledge(received.state.sending, context.now), context));
}

function message(state: Session, { from, body, lines }: Message, context: Context): SessionStep {
  if (body.kind === 'notice') return onNotice(state, from, body, context);
  const identified = identify(state, from, context);
  if (identified.stop) return identified.step;
  const { state: known, effects } = identified.step;
  const stopped = haltedBy(known.stopped, body);
  const heard = { ...known, heardAt: context.now, stopped };
  const news: Effect[] = stopped && !known.stopped ? [{ do: 'stopped', ...stopped }] : [];
  const step = { state: heard, effects: [...effects, ...news] };
  return isOf(from, body) ? join(step, dispatch(heard, body, lines, context)) : step;
}

function dispatch(state: Session, body: Exclude<Body, Notice>, lines: readonly string[], context: Context): SessionStep {
  switch (body.kind) {
    case 'status':
      return onStatus(state, body, context);
    case 'pull':
      return {
        state,
        effects: context.diverged && body.ask.mode !== 'refusals' ? [{ do: 'send', body: HALTED }] : [{ do: 'serve', pull: body }],
      };
    case 'page':
      return state.listing?.id === body.id
        ? listed(state, onRefusalPage(state.listing, body, lines, listingContext(context)))
        : receiver(state, onPage(state.receiving, body, lines, context));
    case 'push':
      return receiver(state, onPush(state.receiving, body, lines, context));
  }
}

function onStatus(state: Session, status: Status, context: Context): SessionStep {
  const sending = onAck(state.sending, status.ack, senderContext(state, context));
  let result: SessionStep = { state: { ...state, sending, about: status.about ?? state.about }, effects: [] };
  if (status.about) result = join(result, { state: result.state, effects: [{ do: 'introduce', about: status.about }] });
  if (status.head) result = join(result, receiver(result.state, onHead(result.state.receiving, status.head, context)));
  if (status.ack.refusals !== context.recordedRefusals && !result.state.listing)
    result = join(result, listed(result.state, askRefusals(status.ack.refusals, listingContext(context))));
  return state.sending.ack === undefined
    ? join(result, sender(result.state, announce(result.state.sending, context.now), context))
    : result;
}

/**
 * A peer says why it stays silent. Only global may end a zone's process: a zone that says so of global is not believed,
 * nor is a stranger.
 */
function onNotice(state: Session, from: Speaker, notice: Notice, context: Context): SessionStep {
  const isMeant = notice.instance === undefined || notice.instance === context.self.instance;
  if (!isMeant || !isPinned(from, context.pin)) return { state, effects: [] };
  const stopped = { code: notice.code, message: notice.message };
  const speaks = state.speaker === undefined || state.speaker.instance === from.instance;
  return { state: { ...state, stopped, heardAt: speaks ? context.now : state.heardAt }, effects: [{ do: 'stopped', ...stopped }] };
}

/**
 * Who speaks. A store id other than the pinned one needs an operator's word. Of two processes with one identity the
 * later one counts. The earlier one is told only when the later one is heard again: a restored store forgot how often
 * it was started, and may be alone while a late message of the former process arrives.
 *
 *   5, then 6               -> 6 speaks; what 5 announced is void
 *   6, then 5, 6 at once    -> 6 may be gone, and this was on its way
 *   6, then 5, a while, 6   -> both are alive: 5 is told to stop
 *   6, silence, 5           -> 6 is gone: 5 speaks
 */
function identify(state: Session, from: Speaker, context: Context): { step: SessionStep; stop: boolean } {
  if (context.disabled) return refuse({ ...state, heardAt: context.now }, disabledNotice(state.peer));
  if (!isPinned(from, context.pin)) return refuseStranger(state, from, context);
  const pins: Effect[] = context.pin === undefined ? [{ do: 'pin', store: from.store }] : [];
  const order = orderOf(state.speaker, from);
  if (order === 0) return { step: rivalry(state, context.now, pins), stop: false };
  if (order < 0 && context.now - state.heardAt <= SILENCE)
    return { step: { state: { ...state, rival: rivalOf(state, from, context.now) }, effects: [] }, stop: true };
  return { step: newSpeaker(state, from, pins), stop: false };
}

/** Why nothing is exchanged with a zone, for as long as it is disabled. */
export function disabledNotice(zone: string) {
  return { code: 'disabled' as const, message: `zone ${zone} is disabled at global` };
}

/** The one that counts was heard. */
function rivalry(state: Session, now: number, effects: readonly Effect[]): SessionStep {
  const notice = state.rival && noticeTo(state.rival, now);
  return notice ? { state: { ...state, rival: undefined }, effects: [...effects, { do: 'send', body: notice }] } : { state, effects };
}

/** Questions of the former process get no answer, and what it said no longer counts. */
function newSpeaker(state: Session, speaker: Speaker, pins: readonly Effect[]): SessionStep {
  const cleared = state.speaker ? lost(state) : { state, effects: [] };
  const sending = { ...cleared.state.sending, ack: undefined, base: undefined };
  return { state: { ...cleared.state, speaker, rival: undefined, sending }, effects: [...cleared.effects, ...pins] };
}

/**
 * While the pinned store is heard, the exchange with it goes on. It hears the notice too: only the other one's process
 * is meant.
 */
function refuseStranger(state: Session, from: Speaker, { pin, now }: Context): { step: SessionStep; stop: boolean } {
  const { store, message, at } = strangerOf(from, pin, now);
  const isHeard = state.speaker?.store === pin && now - state.heardAt <= SILENCE;
  const known: Partial<Session> = isHeard ? { stranger: { store, message, at } } : { stopped: { code: 'store-changed', message, store } };
  return refuse({ ...state, ...known }, { code: 'store-changed', message, instance: from.instance });
}

function refuse(state: Session, notice: Omit<Notice, 'kind'>): { step: SessionStep; stop: boolean } {
  return { step: { state, effects: [{ do: 'send', body: { kind: 'notice', ...notice } }] }, stop: true };
}

function blocked(state: Session, context: Context): boolean {
  return context.disabled || state.stopped !== undefined || state.speaker === undefined;
}

function senderContext(state: Session, context: Context) {
  // The head is signed when it is read.
  return {
    get head() {
      return context.head;
    },
    now: context.now,
    heardAt: state.heardAt,
    pushes: context.pushes,
  };
}

function sender(state: Session, { state: sending, effects }: SenderStep, context: Context): SessionStep {
  return { state: { ...state, sending }, effects: context.disabled ? [] : effects.flatMap((effect) => senderEffect(effect, context)) };
}

function senderEffect(effect: SenderEffect, context: Context): Effect[] {
  return effect.do === 'status' ? [{ do: 'send-status' }] : context.diverged ? [] : [effect];
}

function receiver(state: Session, { state: receiving, effects }: ReceiverStep): SessionStep {
  return { state: { ...state, receiving }, effects: effects.map(receiverEffect) };
}

function receiverEffect(effect: ReceiverEffect): Effect {
  return effect.do === 'ask' ? ask(effect.id, effect.ask) : effect;
}

function listed(state: Session, { state: listing, effects }: RefusalTransferStep): SessionStep {
  return { state: { ...state, listing }, effects: effects.map((effect) => (effect.do === 'ask' ? ask(effect.id, effect.ask) : effect)) };
}

/** The request's id differs from the one that a pull of the same step may have taken. */
function listingContext(context: Context) {
  return { id: `${context.id}0f`, now: context.now, most: context.head.count };
}

function ask(id: string, what: Pull['ask']): Effect {
  return { do: 'send', body: { kind: 'pull', id, ask: what } };
}

function join(first: SessionStep, second: SessionStep): SessionStep {
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}
