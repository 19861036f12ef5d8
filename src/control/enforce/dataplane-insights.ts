import { asArray, asObject } from '../../naming/json.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { readableUpTo } from '../../resource/readable-text.ts';
import type { JsonObject, Resource } from '../../resource/resource.ts';
import { putOwn } from '../put/put-own.ts';
import { owns, type Plane } from '../plane/plane.ts';
import { ownDataplane } from './own-dataplane.ts';

/** A proxy, as far as its insight shows it. */
export interface ConnectedProxy {
  readonly proxy: { readonly mesh: string; readonly name: string };
  /** Times are RFC 3339. */
  readonly streams: readonly {
    readonly envoyVersion: string;
    readonly since: string;
    readonly until: string | undefined;
    readonly types: readonly {
      readonly typeUrl: string;
      readonly responses: ResponseCounts;
      readonly refused: readonly { readonly name: string; readonly message: string; readonly since: string }[];
    }[];
  }[];
}

interface ResponseCounts {
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
}

interface KnownInsight {
  readonly id: string;
  readonly insight: Resource;
  readonly spec: { readonly subscriptions: readonly JsonObject[] };
  readonly text: string;
}

const KUMAS: Readonly<Record<string, string>> = { Cluster: 'cds', Listener: 'lds', RouteConfiguration: 'rds' };
/** What an Envoy refuses, as far as an insight carries it: it goes to global with each change. */
const MOST_REFUSED = 5;
const MOST_NAME = 200;
const MOST_MESSAGE = 500;

const NONE: ResponseCounts = { sent: 0, accepted: 0, refused: 0 };

/**
 * Keeps a DataplaneInsight, in Kuma's shape, for each Dataplane whose proxy was connected, so that this zone and global
 * show who is online. One commit for all that changed, and none where nothing did. What an earlier process left open is
 * ended; the insight of a Dataplane that is gone goes too.
 */
export class Insights {
  private readonly plane: Plane;
  private readonly instance: string;

  readonly #written = new Map<string, { readonly key: Key; readonly text: string }>();
  #begun = false;

  constructor(plane: Plane, instance: string) {
    this.plane = plane;
    this.instance = instance;
  }

  /**
   * In: every proxy that is known now. Throws what the store throws: what could not be written then is written the next
   * time.
   */
  record(proxies: readonly ConnectedProxy[]): void {
    const known = proxies.flatMap((one) => this.#insightOf(one));
    const changed = known.filter(({ id, text }) => this.#written.get(id)?.text !== text);
    const given = new Set(known.map(({ id }) => id));
    const forgotten = [...this.#written].filter(([id]) => !given.has(id));
    this.#write(changed, this.#begun ? this.#still(forgotten) : this.#stored(given));
    this.#begun = true;
    for (const [id] of forgotten) this.#written.delete(id);
    for (const { id, insight, text } of changed) this.#written.set(id, { key: insight.key, text });
  }

  #write(changed: readonly KnownInsight[], left: readonly Resource[]): void {
    const { plane } = this;
    const now = plane.now();
    const orphans = left.filter(({ key }) => !plane.store.has({ ...key, type: 'Dataplane' }));
    const open = left.filter((insight) => !orphans.includes(insight) && isOpen(insight));
    if (changed.length + orphans.length + open.length === 0) return;
    plane.store.commit((tx) => {
      for (const { insight, spec } of changed) putOwn(tx, plane, { admitted: insight, spec: withTime(spec, now) });
      for (const insight of open) putOwn(tx, plane, { admitted: insight, spec: ended(insight.spec, now) });
      for (const { key } of orphans) tx.delete(key);
    });
  }

  #insightOf(one: ConnectedProxy): KnownInsight[] {
    const dataplane = ownDataplane(this.plane, one.proxy.mesh, one.proxy.name);
    if (!dataplane || one.streams.length === 0) return [];
    const insight = insightOf(dataplane);
    const spec = { subscriptions: one.streams.map((stream) => this.#subscription(stream)) };
    return [{ id: keyId(insight.key), insight, spec, text: JSON.stringify(spec) }];
  }

  #subscription({ envoyVersion, since, until, types }: ConnectedProxy['streams'][number]): JsonObject {
    const own = types.flatMap(({ typeUrl, responses }) => {
      const name = KUMAS[typeUrl.split('.').at(-1) ?? ''];
      return name === undefined ? [] : [[name, statsOf(responses)] as const];
    });
    const total = types.reduce<ResponseCounts>((sum, { responses }) => added(sum, responses), NONE);
    return {
      id: `${this.instance}-${since}`,
      controlPlaneInstanceId: this.instance,
      connectTime: since,
      ...(until === undefined ? {} : { disconnectTime: until }),
      status: { total: statsOf(total), ...Object.fromEntries(own) },
      version: { envoy: { version: envoyVersion } },
      ...refusedIn(types),
    };
  }

  /** Those that are known no more: their Dataplane is gone, or they have been away for long. */
  #still(forgotten: readonly (readonly [string, { readonly key: Key }])[]): Resource[] {
    return forgotten.flatMap(([, { key }]) => this.plane.store.get(key)?.resource ?? []);
  }

  /** Those of earlier processes. */
  #stored(given: ReadonlySet<string>): Resource[] {
    const all = [...this.plane.store.each('DataplaneInsight')].map(({ resource }) => resource);
    return all.filter(({ key }) => owns(this.plane.place, key) && !given.has(keyId(key)));
  }
}

function subscriptionsOf({ subscriptions }: JsonObject): JsonObject[] {
  return asArray(subscriptions).map((one) => asObject(one) ?? {});
}

function isOpen({ spec }: Resource): boolean {
  return subscriptionsOf(spec).some(({ disconnectTime }) => disconnectTime === undefined);
}

function ended(spec: JsonObject, now: string): JsonObject {
  return { ...spec, subscriptions: subscriptionsOf(spec).map((one) => ({ disconnectTime: now, ...one })) };
}

function insightOf({ key, ...dataplane }: Resource): Resource {
  return { ...dataplane, key: { ...key, type: 'DataplaneInsight' } };
}

/**
 * Ours, beside what Kuma's insight has; nothing where nothing is refused. How often it was tried would be news each
 * time.
 */
function refusedIn(types: ConnectedProxy['streams'][number]['types']): JsonObject {
  const all = types.flatMap(({ typeUrl, refused }) => refused.map((one) => ({ ...one, of: typeUrl.split('.').at(-1) ?? '' })));
  const refused = all.slice(0, MOST_REFUSED).map(({ of, name, message, since }) => ({
    type: of,
    name: readableUpTo(MOST_NAME, name),
    message: readableUpTo(MOST_MESSAGE, message),
    since,
  }));
  return refused.length === 0 ? {} : { refused };
}

/** Kuma writes counts as texts, as proto3 JSON does. */
function statsOf({ sent, accepted, refused }: ResponseCounts): JsonObject {
  return { responsesSent: String(sent), responsesAcknowledged: String(accepted), responsesRejected: String(refused) };
}

function added(a: ResponseCounts, b: ResponseCounts): ResponseCounts {
  return { sent: a.sent + b.sent, accepted: a.accepted + b.accepted, refused: a.refused + b.refused };
}

function withTime(spec: { readonly subscriptions: readonly JsonObject[] }, lastUpdateTime: string): JsonObject {
  return { subscriptions: spec.subscriptions.map((one) => ({ ...one, status: { lastUpdateTime, ...asObject(one.status) } })) };
}
