import type { Report } from '../../report.ts';
import type { OutboxOptions } from './outbox.ts';

/** What the sync of one control plane is made of. */
export interface SyncOptions extends OutboxOptions {
  readonly report: Report;
  /** Items of a first scan that are taken in one turn of the event loop; PER_SLICE. */
  readonly perSlice?: number | undefined;
}
