import type { Clock } from './clock.ts';
import { nodeId, type ProxyId } from './proxy-id.ts';
import type { TypeView } from './session.ts';

/** A proxy as an operator sees it. */
export interface ProxyView {
  readonly proxy: ProxyId;
  /** Its streams; when there is none now, the last one. */
  readonly streams: readonly StreamView[];
  /** Why it is not sent what it should have: the snapshot could not be made. It keeps what it has. */
  readonly problem: StreamProblem | undefined;
  /** Why its stream was refused or ended: gone once one is served. */
  readonly refused: StreamProblem | undefined;
}

export interface StreamView {
  readonly connected: boolean;
  readonly envoyVersion: string;
  readonly since: string;
  /** When it ended; undefined: it is open. */
  readonly until: string | undefined;
  readonly types: readonly TypeView[];
}

interface StreamProblem {
  readonly reason: string;
  readonly since: string;
}

/** A stream that is being served. */
export interface Stream {
  view(): Omit<StreamView, 'connected' | 'until'>;
  /** What its proxy should have may be another now. */
  changed(): void;
  /** It ends unless its proxy still proves who it is. */
  judge(): void;
  /** Ends it: the proxy comes back by itself. */
  end(): void;
}

/** How many proxies without a stream are remembered. */
const MOST_GONE = 1_000;

interface ProxyEntry {
  readonly proxy: ProxyId;
  readonly streams: Set<Stream>;
  last: StreamView | undefined;
  problem: StreamProblem | undefined;
  refused: StreamProblem | undefined;
}

/** All proxies that have proven who they are, with their streams. */
export class Proxies {
  private readonly clock: Clock;

  private readonly entries = new Map<string, ProxyEntry>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  add(proxy: ProxyId, stream: Stream): void {
    const known = this.of(proxy);
    known.streams.add(stream);
    known.refused = undefined;
  }

  /** Of one that is not there: nothing. */
  remove(proxy: ProxyId, stream: Stream): void {
    const known = this.entries.get(nodeId(proxy));
    if (!known?.streams.delete(stream)) return;
    known.last = { connected: false, until: this.clock.time(), ...stream.view() };
    this.forgetOldest();
  }

  streams(proxy?: ProxyId): Stream[] {
    const known = proxy ? [this.entries.get(nodeId(proxy))] : [...this.entries.values()];
    return known.flatMap((one) => [...(one?.streams ?? [])]);
  }

  /** Out: whether the reason is another than before. */
  refuse(proxy: ProxyId, reason: string): boolean {
    const known = this.of(proxy);
    const isNew = known.refused?.reason !== reason;
    if (isNew) known.refused = { reason, since: this.clock.time() };
    this.forgetOldest();
    return isNew;
  }

  /** undefined: there is no problem any more. Out: whether the reason is another than before. */
  problem(proxy: ProxyId, reason: string | undefined): boolean {
    const known = this.of(proxy);
    const isNew = known.problem?.reason !== reason;
    if (isNew) known.problem = reason === undefined ? undefined : { reason, since: this.clock.time() };
    return isNew;
  }

  view(proxy: ProxyId): ProxyView | undefined {
    const known = this.entries.get(nodeId(proxy));
    return known && viewOf(known);
  }

  /** In the order in which they came first. */
  views(): ProxyView[] {
    return [...this.entries.values()].map(viewOf);
  }

  connected(): ProxyId[] {
    return [...this.entries.values()].flatMap(({ proxy, streams }) => (streams.size > 0 ? [proxy] : []));
  }

  private of(proxy: ProxyId): ProxyEntry {
    const id = nodeId(proxy);
    const known = this.entries.get(id) ?? { proxy, streams: new Set(), last: undefined, problem: undefined, refused: undefined };
    this.entries.set(id, known);
    return known;
  }

  private forgetOldest(): void {
    const gone = [...this.entries].filter(([, { streams }]) => streams.size === 0);
    for (const [id] of gone.slice(0, Math.max(0, gone.length - MOST_GONE))) this.entries.delete(id);
  }
}

function viewOf({ proxy, streams, last, problem, refused }: ProxyEntry): ProxyView {
  const now = [...streams].map((stream) => ({ connected: true, until: undefined, ...stream.view() }));
  return { proxy, streams: now.length > 0 || !last ? now : [last], problem, refused };
}
