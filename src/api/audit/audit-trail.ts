import type { Plane } from '../../control/plane/plane.ts';
import type { ApiOptions } from '../api-options.ts';
import type { Report } from '../../report.ts';
import type { AuditRecord } from '../../resource/store/audit.ts';

/** How many refusals wait to be written; of more it is only kept how many there were. */
const MOST = 1_000;
/** How long they wait, ms: so that whoever is refused often does not make the disk busy. */
const WAIT = 1_000;

/** Writes the records that no commit takes along: acts at once, refusals a little later. */
export class AuditTrail {
  readonly #plane: Plane;
  readonly #writes: ApiOptions['writes'];
  readonly #report: Report;
  #waiting: AuditRecord[] = [];
  #more = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(plane: Plane, writes: ApiOptions['writes'], report: Report) {
    this.#plane = plane;
    this.#writes = writes;
    this.#report = report;
  }

  /** Durably, before it is answered. */
  async act(record: AuditRecord): Promise<void> {
    await this.#writes.write((tx) => tx.recordAudit([record]));
  }

  refused(record: AuditRecord): void {
    if (this.#waiting.length < MOST) this.#waiting.push(record);
    else this.#more += 1;
    this.#timer ??= setTimeout(() => void this.flush(), WAIT).unref();
  }

  /**
   * Writes what waits: before somebody reads, and at the end. A store that can't be written is the operator's trouble,
   * not the reader's.
   */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [records, more] = [this.#waiting, this.#more];
    [this.#waiting, this.#more] = [[], 0];
    if (records.length === 0) return;
    try {
      await this.#writes.write((tx) => tx.recordAudit([...records, ...(more > 0 ? [toMore(more, this.#plane.now())] : [])]));
    } catch (thrown) {
      this.#report('error', 'refusals could not be recorded', { count: records.length + more, error: String(thrown) });
    }
  }
}

function toMore(count: number, time: string): AuditRecord {
  const nobody = { principal: '', role: '', address: '', type: '', mesh: '', kri: '' };
  return { time, ...nobody, operation: 'more', name: `${count} more refusals`, outcome: 'refused', revision: null, code: '' };
}
