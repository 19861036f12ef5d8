import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What a test started, and how to end it:
 *
 *   const scope = new Scope();
 *   after(() => scope.close());
 *   const nats = await startNats(scope);
 *   const east = await startDaemon(scope, 'zone', { MERIDIAN_ZONE_NAME: 'east', MERIDIAN_NATS_URL: nats.url });
 *
 * Everything is ended by its own process id, the latest first; then the temporary folders go.
 */
export class Scope {
  private readonly endings: (() => Promise<void> | void)[] = [];

  /** Runs at the end, before what was added earlier. */
  add(ending: () => Promise<void> | void): void {
    this.endings.push(ending);
  }

  /** A new empty folder that is removed at the end. */
  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'meridian-test-'));
    this.add(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async close(): Promise<void> {
    for (let ending = this.endings.pop(); ending; ending = this.endings.pop()) await ending();
  }
}
