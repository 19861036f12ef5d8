import { formatKri, type Key } from '../../resource/key.ts';

export interface PolicyCount {
  readonly verdict: 'allow' | 'deny';
  /** Its KRI; `none`: no policy decided; `others`: of those that came after the first hundred. */
  readonly policy: string;
  readonly count: number;
}

/** How many policies have a line of their own in the metrics. */
const NAMED = 100;

/** How often each policy decided about calls of other zones, for the metrics: each policy has a line for a verdict. */
export class PolicyCounts {
  readonly #counts = new Map<string, PolicyCount>();
  readonly #named = new Set<string>();

  decided(allowed: boolean, by: Key | undefined): void {
    const verdict = allowed ? 'allow' : 'deny';
    const policy = by ? this.#nameOf(formatKri(by)) : 'none';
    const id = `${verdict} ${policy}`;
    this.#counts.set(id, { verdict, policy, count: (this.#counts.get(id)?.count ?? 0) + 1 });
  }

  read(): readonly PolicyCount[] {
    return [...this.#counts.values()];
  }

  #nameOf(kri: string): string {
    if (!this.#named.has(kri) && this.#named.size >= NAMED) return 'others';
    this.#named.add(kri);
    return kri;
  }
}
