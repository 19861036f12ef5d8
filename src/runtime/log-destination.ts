import { writeSync } from 'node:fs';

/** Bytes that may wait for a reader who is slow. More are lost. */
const MOST_WAITING = 1024 * 1024;
/** How soon it is tried again to write what could not be written. ms */
const RETRY = 500;
/** What is over soon: a pipe is full, a signal came. */
const PASSING = new Set(['EAGAIN', 'EINTR']);

/** Lines of the log that are missing. */
export interface LogLoss {
  /** Since the start. */
  readonly lines: number;
  /** Why lines are lost now; undefined: none are. */
  readonly reason: string | undefined;
}

/**
 * Where the lines of the log go, at once, so that nothing is lost when the process ends. What can't be written (the
 * disk is full, the reader is gone) is lost and counted, and is no error of whoever logs: the process goes on. Once it
 * is possible again, one line says how many are missing.
 *
 *   a, b (full), c (full), d   ->   a, `lines of the log were lost` 2, d
 */
export class LogDestination {
  private readonly lossLine: (lost: number, reason: string) => string;
  private readonly put: (bytes: Uint8Array) => number;

  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  /** What is left of the line that is being written; whether that line is begun; and whether it says what was lost. */
  private rest: Buffer | undefined;
  private begun = false;
  private saying = false;
  /** The last line in the file has no end. */
  private torn = false;
  private lost = 0;
  /** Of these the log says nothing yet. */
  private unsaid = 0;
  private reason: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * `lossLine`: the line that says how many were lost, and why, with its line break. `put`: as `fs.writeSync` on one
   * descriptor.
   */
  constructor(lossLine: (lost: number, reason: string) => string, put = (bytes: Uint8Array): number => writeSync(1, bytes)) {
    this.lossLine = lossLine;
    this.put = put;
  }

  /** A line with its break. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.waitingBytes + bytes.length > MOST_WAITING) this.lose(1, 'whoever reads the log is too slow');
    else {
      this.waiting.push(bytes);
      this.waitingBytes += bytes.length;
    }
    this.flush();
  }

  loss(): LogLoss {
    return { lines: this.lost, reason: this.unsaid > 0 ? this.reason : undefined };
  }

  private flush(): void {
    clearTimeout(this.timer);
    try {
      this.finishLine();
      if (this.unsaid > 0) this.sayLoss();
      for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
        this.waitingBytes -= next.length;
        this.begin(next);
      }
    } catch (thrown) {
      const { code = '', message } = thrown as NodeJS.ErrnoException;
      if (!PASSING.has(code)) this.loseAll(message);
    }
    if (this.rest || this.waiting.length > 0 || this.unsaid > 0) this.timer = setTimeout(() => this.flush(), RETRY).unref();
  }

  private begin(line: Buffer): void {
    this.rest = line;
    this.begun = false;
    this.finishLine();
  }

  private finishLine(): void {
    while (this.rest && this.rest.length > 0) {
      const written = this.put(this.rest);
      this.begun ||= written > 0;
      this.rest = this.rest.subarray(written);
    }
    this.rest = undefined;
    if (!this.saying) return;
    this.saying = false;
    this.torn = false;
    this.unsaid = 0;
  }

  private sayLoss(): void {
    this.saying = true;
    this.begin(Buffer.from(`${this.torn ? '\n' : ''}${this.lossLine(this.unsaid, this.reason ?? '')}`));
  }

  private lose(lines: number, reason: string): void {
    this.lost += lines;
    this.unsaid += lines;
    this.reason = reason;
  }

  private loseAll(reason: string): void {
    this.torn ||= this.begun && this.rest !== undefined;
    this.lose(this.waiting.length + (this.rest && !this.saying ? 1 : 0), reason);
    this.rest = undefined;
    this.saying = false;
    this.waiting = [];
    this.waitingBytes = 0;
  }
}
