import { MeridianError } from '../../errors.ts';
import type { Clock } from './clock.ts';
import type { EncodedResources } from '../wire/encode-resource.ts';
import { type Resources, Subscription, type SubscriptionView } from './subscription.ts';
import { RESOURCE_TYPES, TYPE_URLS } from '../wire/resource-types.ts';
import type { DeltaRequest, DeltaResponse } from '../wire/delta-messages.ts';

const MOST_TYPES = 16;
const ORDER: readonly string[] = RESOURCE_TYPES.map((kind) => TYPE_URLS[kind]);
/** Envoy asks for all of these by naming none. */
const WILDCARD: readonly string[] = [TYPE_URLS.clusters, TYPE_URLS.listeners];
const NOTHING: Resources = new Map();

/** How a proxy stands with one type. */
export interface TypeView extends SubscriptionView {
  readonly typeUrl: string;
}

/**
 * One stream of a proxy, without the network: requests and what there is go in, responses come out of `next`.
 * What is referred to is sent, and answered, before what refers to it, and goes only when no listener uses it any more:
 *
 *   new cluster, new listener      clusters, its answer, listeners
 *   listener and cluster gone      listeners, its answer, clusters
 *   the new listener is refused    the old one goes on with its cluster, secrets and RBAC
 */
export class XdsSession {
  private readonly clock: Clock;

  private readonly subscriptions = new Map<string, Subscription>();
  private there: EncodedResources | undefined;
  private nonce = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Throws `too_large` when the proxy asks for more than there can be. */
  request(request: DeltaRequest): void {
    const subscription = this.subscriptions.get(request.typeUrl);
    if (subscription) return subscription.request(request);
    if (this.subscriptions.size >= MOST_TYPES) throw new MeridianError('too_large', `more than ${MOST_TYPES} types are asked for`);
    const wildcard = WILDCARD.includes(request.typeUrl);
    this.subscriptions.set(request.typeUrl, new Subscription(request, wildcard, this.clock));
  }

  /**
   * What the proxy is to have from now on. Before the first time nothing is sent, so that a proxy keeps what it has.
   */
  update(there: EncodedResources): void {
    this.there = there;
  }

  /** The response to write now; undefined: none. */
  next(): DeltaResponse | undefined {
    if (!this.there) return undefined;
    for (const typeUrl of [...ORDER, ...this.subscriptions.keys()]) {
      if (typeUrl === TYPE_URLS.listeners && this.subscriptions.get(TYPE_URLS.clusters)?.waiting) continue;
      const mayRemove = typeUrl === TYPE_URLS.listeners || this.listenersSettled(this.there);
      const change = this.subscriptions.get(typeUrl)?.next(resourcesOf(this.there, typeUrl), String(this.nonce + 1), mayRemove);
      if (change) return { typeUrl, nonce: String(++this.nonce), ...change };
    }
    return undefined;
  }

  /** When `next` may have something though nothing happened (`Clock.now`); undefined: never. */
  wakeAt(): number | undefined {
    const times = [...this.subscriptions.values()].map((subscription) => subscription.retryAt()).filter((time) => time !== undefined);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  view(): TypeView[] {
    return [...this.subscriptions].map(([typeUrl, subscription]) => ({ typeUrl, ...subscription.view() }));
  }

  private listenersSettled(there: EncodedResources): boolean {
    return this.subscriptions.get(TYPE_URLS.listeners)?.settled(resourcesOf(there, TYPE_URLS.listeners)) ?? true;
  }
}

function resourcesOf(there: EncodedResources, typeUrl: string): Resources {
  return there.get(typeUrl) ?? NOTHING;
}
