import { randomBytes } from 'node:crypto';
import { makePosition, signer } from '../../src/kds/cursor.ts';
import { addHash, type Digest, EMPTY_DIGEST, formatDigest, hashItem, subtractHash } from '../../src/kds/digest.ts';
import { decodeLine } from '../../src/kds/item.ts';
import { type Body, decodeMessage, encodeMessage, MAX_MESSAGE_BYTES, type Pull, type Speaker } from '../../src/kds/protocol.ts';
import type { Context } from '../../src/kds/session-context.ts';
import { type Effect, newSession, type Session, type SessionEvent, step } from '../../src/kds/session.ts';
import type { Transport } from '../../src/kds/transport.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';
import { type Key, keyId } from '../../src/resource/key.ts';
import type { Position } from '../../src/resource/store/store.ts';

const TICK = 500;
const ABOUT = { environment: 'kubernetes', systemNamespace: 'kuma-system', version: 'light' } as const;

/** Called with each item that is applied; `wire` is '' for one that is gone. */
export type OnApplied = (key: Key, wire: string) => void;

/**
 * A zone that is only its end of the protocol: the real session and digests over a real transport, and of each item its
 * hash. It has nothing of its own and checks nothing, so that a thousand of them fit into one process.
 */
export class LightZone {
  readonly name: string;
  private readonly transport: Transport;
  private readonly onApplied: OnApplied;

  private session: Session = newSession(GLOBAL_PEER);
  private readonly hashes = new Map<string, string>();
  private readonly staged = new Map<string, { key: Key; wire: string }>();
  private position: Position | undefined;
  private pin: string | undefined;
  private readonly self: Speaker = { store: hex(), term: 1, incarnation: 1, instance: hex() };
  private readonly sign = signer(hex());
  private readonly ticking: NodeJS.Timeout;
  /** Transfers that did not add up. */
  mismatches = 0;
  /** Items that were applied. */
  applied = 0;

  constructor(name: string, transport: Transport, onApplied: OnApplied = () => {}) {
    this.name = name;
    this.transport = transport;
    this.onApplied = onApplied;
    transport.onMessage((_peer, text) => this.handle({ on: 'message', message: decodeMessage(text) }));
    transport.onConnection((connected) => this.handle({ on: connected ? 'connected' : 'lost' }));
    this.ticking = setInterval(() => this.handle({ on: 'tick' }), TICK);
  }

  stop(): void {
    clearInterval(this.ticking);
  }

  /** How many items it holds, and their sum. */
  holds(): { count: number; digest: string } | undefined {
    return this.position && { count: this.position.count, digest: this.position.digest };
  }

  private handle(event: SessionEvent): void {
    const { state, effects } = step(this.session, event, this.context());
    this.session = state;
    for (const effect of effects) this.perform(effect);
  }

  private context(): Context {
    return {
      self: this.self,
      head: this.head(),
      position: this.position,
      recordedRefusals: '',
      pin: this.pin,
      disabled: false,
      diverged: false,
      pushes: false,
      maxTransfer: Number.POSITIVE_INFINITY,
      mostBytes: MAX_MESSAGE_BYTES,
      now: performance.now(),
      random: Math.random(),
      id: hex(),
    };
  }

  /** Its own feed is empty. */
  private head(): Position {
    const { store, term } = this.self;
    return makePosition(this.sign, GLOBAL_PEER, { store, term, revision: 0 }, { count: 0, digest: formatDigest(EMPTY_DIGEST) });
  }

  private perform(effect: Effect): void {
    switch (effect.do) {
      case 'send':
        return this.send(effect.body);
      case 'send-status':
        return this.send({
          kind: 'status',
          head: this.head(),
          ack: { refusals: '', ...(this.position && { position: this.position }) },
          about: ABOUT,
        });
      case 'serve':
        return this.serve(effect.pull);
      case 'stage':
        for (const change of effect.lines.map(toChange)) this.staged.set(keyId(change.key), change);
        return;
      case 'unstage':
        return this.staged.clear();
      case 'apply':
        return this.apply(effect);
      case 'adopt':
        this.position = effect.position;
        return;
      case 'pin':
        this.pin = effect.store;
        return;
      case 'introduce':
      case 'push':
      case 'refusals':
      case 'stopped':
        return; // Nothing that it has to do.
    }
  }

  private send(body: Body): void {
    this.transport.send(GLOBAL_PEER, encodeMessage({ from: this.self, body, lines: [] }));
  }

  private serve({ id, ask }: Pull): void {
    this.send({ kind: 'page', id, revision: 0, ...(ask.mode === 'scan' || ask.mode === 'refusals' ? {} : { end: this.head() }) });
  }

  private apply({ mode, lines, end }: Extract<Effect, { do: 'apply' }>): void {
    for (const change of lines.map(toChange)) this.staged.set(keyId(change.key), change);
    const changes = [...this.staged];
    this.staged.clear();
    const { digest, count } = this.sumAfter(mode, changes);
    const fits = formatDigest(digest) === end.digest && count === end.count;
    if (fits) this.take(mode, changes, end);
    else this.mismatches += 1;
    this.handle({ on: 'applied', outcome: fits ? 'applied' : 'mismatch' });
  }

  private sumAfter(mode: 'delta' | 'scan', changes: readonly (readonly [string, { wire: string }])[]) {
    const before = mode === 'delta' ? this.position : undefined;
    let digest: Digest = before ? BigInt(`0x${before.digest}`) : EMPTY_DIGEST;
    let count = before?.count ?? 0;
    for (const [id, { wire }] of changes) {
      const known = before && this.hashes.get(id);
      if (known !== undefined) digest = subtractHash(digest, known);
      if (wire !== '') digest = addHash(digest, hashItem(wire));
      count += Number(wire !== '') - Number(known !== undefined);
    }
    return { digest, count };
  }

  private take(mode: 'delta' | 'scan', changes: readonly (readonly [string, { key: Key; wire: string }])[], end: Position): void {
    if (mode === 'scan') this.hashes.clear();
    for (const [id, { key, wire }] of changes) {
      if (wire === '') this.hashes.delete(id);
      else this.hashes.set(id, hashItem(wire));
      this.onApplied(key, wire);
    }
    this.applied += changes.length;
    this.position = end;
  }
}

function toChange(line: string): { key: Key; wire: string } {
  const decoded = decodeLine(line);
  if (!decoded) throw new Error(`not a line: ${line.slice(0, 100)}`);
  return { key: decoded.key, wire: decoded.gone ? '' : line };
}

function hex(): string {
  return randomBytes(16).toString('hex');
}
