import { ASK_REFUSALS, type AskRefusal } from '../../kds/access/access-messages.ts';
import { TOKEN_OUTCOMES } from './issued-tokens.ts';

/** Why a zone lets no caller of its own to a service. A closed set: metrics have a line for each. */
export const CONNECT_REFUSALS = ['denied-here', 'denied-there', 'no-site', 'away', 'no-answer', 'too-many', 'too-large'] as const;

export type ConnectRefusal = (typeof CONNECT_REFUSALS)[number];

/** What becomes of a token. */
export const TOKEN_USES = [...TOKEN_OUTCOMES, 'disabled-zone', 'other-zone'] as const;

export type TokenUse = (typeof TOKEN_USES)[number];

/** What is no verdict: what was not looked at, what is no message, an answer that nobody waits for. */
const DROPS = ['over-budget', 'unreadable', 'not-awaited'] as const;

export type DropReason = (typeof DROPS)[number];

export interface ExchangeCount {
  /** `client`: of calls from here; `server`: of what other zones ask; `token`: of tokens that are shown here. */
  readonly side: 'client' | 'server' | 'token';
  readonly verdict: 'allow' | 'deny' | 'dropped';
  readonly reason: string;
  readonly count: number;
}

/** How often access was decided between zones, for the metrics: a line for each side, verdict and reason. */
export class ExchangeCounts {
  readonly #counts = new Map<string, ExchangeCount>([
    ...lines('client', 'allow', ['allowed']),
    ...lines('client', 'deny', CONNECT_REFUSALS),
    ...lines('server', 'allow', ['allowed']),
    ...lines('server', 'deny', ASK_REFUSALS),
    ...lines('server', 'dropped', ['over-budget', 'unreadable']),
    ...lines('client', 'dropped', DROPS),
    ...lines('token', 'allow', ['consumed']),
    ...lines(
      'token',
      'deny',
      TOKEN_USES.filter((use) => use !== 'consumed'),
    ),
  ]);

  /** A call from here. */
  called(reason: ConnectRefusal | 'allowed'): void {
    this.#add('client', reason === 'allowed' ? 'allow' : 'deny', reason);
  }

  /** What another zone asked, or this one itself. */
  asked(reason: AskRefusal | 'allowed'): void {
    this.#add('server', reason === 'allowed' ? 'allow' : 'deny', reason);
  }

  shown(use: TokenUse): void {
    this.#add('token', use === 'consumed' ? 'allow' : 'deny', use);
  }

  dropped(side: 'client' | 'server', reason: DropReason): void {
    this.#add(side, 'dropped', reason);
  }

  read(): readonly ExchangeCount[] {
    return [...this.#counts.values()];
  }

  #add(side: ExchangeCount['side'], verdict: ExchangeCount['verdict'], reason: string): void {
    const id = idOf(side, verdict, reason);
    this.#counts.set(id, { side, verdict, reason, count: (this.#counts.get(id)?.count ?? 0) + 1 });
  }
}

function lines(side: ExchangeCount['side'], verdict: ExchangeCount['verdict'], reasons: readonly string[]): [string, ExchangeCount][] {
  return reasons.map((reason) => [idOf(side, verdict, reason), { side, verdict, reason, count: 0 }]);
}

function idOf(...parts: readonly string[]): string {
  return parts.join(' ');
}
