import type { Enforcement } from '../control/enforce/enforcement.ts';
import type { ProxyRules } from '../control/enforce/proxy-rules.ts';
import { inTurns } from '../control/plane/in-turns.ts';
import type { Parts } from '../resource/store/parts.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import type { Xds } from '../xds/server/xds-server.ts';

/**
 * Tells the connected proxies whose rules are other ones, some in each turn of the event loop: one after the other,
 * each with what the store has when its turn comes, so that none gets a mix of two states. What is committed meanwhile
 * begins another round when this one has seen all of them: nobody waits for ever.
 *
 *   a, b and c are connected; a commit  ->  a and b are told; another commit; c is told of both; a and b of the other
 */
export class ChangeSender {
  private readonly xds: Pick<Xds, 'connected' | 'changed'>;
  private readonly enforcement: Pick<Enforcement, 'rulesOf' | 'prepare'>;
  private readonly turns: typeof inTurns;

  /**
   * What each proxy was told, by node id; undefined for what could not be worked out. This is not what
   * `ServedSnapshots` knows: a new stream may have been given rules that the proxy's other streams were not told of.
   */
  readonly #announced = new Map<string, ProxyRules | undefined>();
  #due = false;
  #stopped = false;
  #sending: Promise<void> | undefined;

  constructor(
    xds: Pick<Xds, 'connected' | 'changed'>,
    enforcement: Pick<Enforcement, 'rulesOf' | 'prepare'>,
    turns: typeof inTurns = inTurns,
  ) {
    this.xds = xds;
    this.enforcement = enforcement;
    this.turns = turns;
  }

  /** After a commit. Resolves when all proxies were told of it. */
  changed(): Promise<void> {
    this.#due = true;
    this.#sending ??= this.#rounds();
    return this.#sending;
  }

  /** Ends it: whoever was not told keeps what it has. */
  stop(): void {
    this.#stopped = true;
  }

  async #rounds(): Promise<void> {
    while (this.#due && !this.#stopped) {
      this.#due = false;
      await this.turns('compile', this.#round());
    }
    this.#sending = undefined;
  }

  *#round(): Parts<void> {
    const connected = [...this.xds.connected()];
    for (const proxy of connected) {
      if (this.#stopped) return;
      yield* this.#tell(proxy);
      yield;
    }
    // Who comes back is told again.
    const known = new Set(connected.map(nodeId));
    for (const id of this.#announced.keys()) if (!known.has(id)) this.#announced.delete(id);
  }

  *#prepare(mesh: string): Parts<void> {
    try {
      yield* this.enforcement.prepare(mesh);
    } catch {
      // It happens again when the snapshot is made, and is shown then.
    }
  }

  *#tell(proxy: ProxyId): Parts<void> {
    const { mesh, name } = proxy;
    yield* this.#prepare(mesh);
    const rules = attempt(() => this.enforcement.rulesOf(mesh, name));
    const id = nodeId(proxy);
    const isTold = rules !== undefined && rules === this.#announced.get(id);
    this.#announced.set(id, rules);
    if (!isTold) this.xds.changed(proxy);
  }
}

/** An error here happens again when the snapshot is made, and is shown then. */
function attempt<T>(what: () => T): T | undefined {
  try {
    return what();
  } catch {
    return undefined;
  }
}
