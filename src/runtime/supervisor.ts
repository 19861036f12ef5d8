import { asMeridianError } from '../errors.ts';
import type { Report } from '../report.ts';

/** What the supervisor needs of the process: a real one, or a test's. */
interface ProcessLike {
  on(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
}

export interface SupervisorOptions {
  readonly report: Report;
  /** Where a person reads why the process failed, besides the log. */
  readonly tell: (reason: string) => void;
  /** How long a stop may take in all, ms. */
  readonly grace: number;
  readonly process: ProcessLike;
}

const SIGNALS = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * The life of a daemon. What is started says how it is stopped; on the first SIGTERM or SIGINT all of it is stopped in
 * reverse, within the grace, and the process ends with 0. A second signal ends it at once. An error that nobody caught
 * is logged and ends it with 1.
 *
 *   start store, sync, api; SIGTERM -> stop api, sync, store -> exit 0
 */
export class Supervisor {
  private readonly options: SupervisorOptions;

  private readonly parts: { readonly name: string; readonly stop: () => Promise<void> | void }[] = [];
  private stopping = false;

  constructor(options: SupervisorOptions) {
    this.options = options;
    for (const [signal, code] of Object.entries(SIGNALS)) options.process.on(signal, () => this.onSignal(signal, code));
    for (const event of ['uncaughtException', 'unhandledRejection']) options.process.on(event, (thrown) => this.onUncaught(event, thrown));
  }

  /** Notes how a part that has just been started is stopped. */
  onStop(name: string, stop: () => Promise<void> | void): void {
    this.parts.push({ name, stop });
  }

  /** Stops everything and ends the process with `code`. */
  async stop(code: number): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    const late = setTimeout(() => {
      this.options.report('error', 'the stop took too long', { grace: this.options.grace });
      this.options.process.exit(1);
    }, this.options.grace);
    const clean = await this.stopParts();
    clearTimeout(late);
    this.options.report('info', 'stopped', {});
    this.options.process.exit(clean ? code : 1);
  }

  /** If one part can't be stopped, the others are stopped all the same. */
  private async stopParts(): Promise<boolean> {
    let clean = true;
    for (let part = this.parts.pop(); part; part = this.parts.pop()) {
      try {
        await part.stop();
      } catch (thrown) {
        clean = false;
        this.options.report('error', 'a part can not be stopped', { part: part.name, reason: asMeridianError(thrown).message });
      }
    }
    return clean;
  }

  private onSignal(signal: string, code: number): void {
    if (this.stopping) return this.options.process.exit(code);
    this.options.report('info', 'stopping', { signal });
    void this.stop(0);
  }

  private onUncaught(event: string, thrown: unknown): void {
    const reason = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    this.options.report('error', event, { reason });
    this.options.tell(reason);
    this.options.process.exit(1);
  }
}
