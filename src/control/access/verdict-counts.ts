/** How often access was decided, for the metrics. */
export class VerdictCounts {
  private readonly counts = { allow: 0, deny: 0 };

  count(allowed: boolean): void {
    this.counts[allowed ? 'allow' : 'deny'] += 1;
  }

  read(): Readonly<Record<'allow' | 'deny', number>> {
    return { ...this.counts };
  }
}
