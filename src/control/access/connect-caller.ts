import type { AccessReply } from '../../kds/access/access-messages.ts';
import { pickFrom } from '../../policy/access/balance-sites.ts';
import { ownAttributes } from '../../policy/access/foreign-caller.ts';
import { formatKri } from '../../resource/key.ts';
import { boundedCache } from '../plane/bounded-cache.ts';
import type { AccessAnswer } from './answer-access.ts';
import type { ConnectRefusal } from './exchange-counts.ts';
import type { ZoneExchange } from './zone-exchange.ts';

/** Who wants to reach what. */
export interface ConnectRequest {
  readonly mesh: string;
  readonly service: { readonly name: string; readonly namespace: string };
  /** The SPIFFE ID that the caller will prove. */
  readonly identity: string;
}

/** What came of it. */
export interface CallOutcome {
  /** What was decided on this side, when a site was picked last. */
  readonly here: AccessAnswer;
  readonly why: ConnectRefusal | 'allowed';
  readonly reason: string;
  /** The zone that was picked; undefined: none may be. */
  readonly site: string | undefined;
  /** What that zone said; undefined: it said nothing. */
  readonly there: AccessReply | undefined;
}

/** How many imports are kept for which the site that was picked last is known. */
const KEPT = 10_000;

/**
 * Both sides of a call (docs/design/attributes.md#both-sides): of the sites that this zone's policies leave, one is
 * picked, and its zone decides again. What one zone denied is denied. Where it says nothing another one is asked, once:
 * so a call waits for two time limits at most, and a caller who calls seldom gets past a site that is gone.
 *
 *   bern is nearest, and silent  ->  after 2 s oslo is asked
 *   bern is nearest, and denies  ->  denied
 */
export class CallConnector {
  readonly #exchange: ZoneExchange;
  /** In [0, 1). */
  readonly #chance: () => number;
  /** The site that was picked last, by import and policy. */
  readonly #last = boundedCache<string>(KEPT);

  constructor(exchange: ZoneExchange, chance: () => number) {
    this.#exchange = exchange;
    this.#chance = chance;
  }

  /** `decide`: what this side decides now, with `away` of the exchange. */
  async connect(decide: () => AccessAnswer, asked: ConnectRequest): Promise<CallOutcome> {
    const first = await this.#try(decide(), asked);
    const second = first.why === 'no-answer' ? await this.#try(decide(), asked) : undefined;
    const outcome = second && second.site !== undefined ? second : first;
    this.#exchange.counts.called(outcome.why);
    return outcome;
  }

  async #try(here: AccessAnswer, { mesh, service, identity }: ConnectRequest): Promise<CallOutcome> {
    const site = this.#pick(here, mesh, service);
    if (site === undefined) return { here, ...whyNone(here), site, there: undefined };
    const attributes = ownAttributes(here.source);
    const outcome = await this.#exchange.ask(site, { mesh, service, caller: { identity, attributes } });
    if ('none' in outcome) return { here, why: outcome.none, reason: outcome.reason, site, there: undefined };
    return { here, why: outcome.allowed ? 'allowed' : 'denied-there', reason: outcome.reason, site, there: outcome };
  }

  #pick({ choice }: AccessAnswer, mesh: string, { name, namespace }: ConnectRequest['service']): string | undefined {
    if (!choice) return undefined;
    const id = JSON.stringify([mesh, namespace, name, choice.policy ? formatKri(choice.policy) : '']);
    const picked = pickFrom(choice, { chance: this.#chance(), last: this.#last.get(id) })?.binding.key.zone;
    this.#last.set(id, picked);
    return picked;
  }
}

/** Why no site may be picked. */
function whyNone({ decided, left }: AccessAnswer): Pick<CallOutcome, 'why' | 'reason'> {
  const [first] = decided;
  if (first) return { why: 'denied-here', reason: first.decision.reason };
  const away = left.find(({ why }) => why === 'away');
  if (away) return { why: 'away', reason: away.reason };
  return { why: 'no-site', reason: left[0]?.reason ?? 'no zone has such a MeshService' };
}
