import type { Worker } from 'node:worker_threads';
import { MeridianError } from '../../errors.ts';
import type { Document } from '../../control/write/write-documents.ts';
import type { ReadDocument } from '../../resource/documents/read-documents.ts';
import type { BodyBatch, BodyJob } from './body-messages.ts';

/** What is asked of a body that is read in the thread. */
export interface BodyOrder {
  readonly bytes: Uint8Array;
  readonly isJson: boolean;
  /** The client is gone: nothing is read for it any more. */
  readonly gone: AbortSignal;
  /** Called with the milliseconds that a part of it took. */
  readonly charge: (took: number) => void;
}

/**
 * How long a body may be read, and how long an idle thread stays, in ms. The limits of its parts keep the worst body
 * under ten seconds of a core: this is for what nobody thought of, and on a busy machine.
 */
interface ReadingTimes {
  readonly most: number;
  readonly idle: number;
}

const TIMES: ReadingTimes = { most: 60_000, idle: 10_000 };
/** Bodies that wait for those before them. */
const MOST_WAITING = 64;

interface WaitingBody {
  readonly job: BodyJob;
  readonly order: BodyOrder;
  readonly take: (batch: Exclude<BodyBatch, { refused: unknown }>) => void;
  readonly done: () => void;
  readonly fail: (why: Error) => void;
}

/**
 * Reads large bodies in a thread of its own, one after the other, so that the loop goes on. It starts with the first,
 * and ends when it is idle. A body that takes too long or too much memory, or whose client goes away, ends with it: the
 * next one gets another.
 */
export class BodyReader {
  private readonly start: () => Worker;
  private readonly times: ReadingTimes;

  readonly #waiting: WaitingBody[] = [];
  #worker: Worker | undefined;
  #current: WaitingBody | undefined;
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  constructor(start: () => Worker, times: ReadingTimes = TIMES) {
    this.start = start;
    this.times = times;
  }

  /** What is written in a body. Throws `invalid`, `too_large`, `unavailable`. */
  async values(order: BodyOrder): Promise<ReadDocument[]> {
    const values: ReadDocument[] = [];
    await this.#read('values', order, (batch) => 'values' in batch && values.push(...batch.values));
    return values;
  }

  /** The documents of a body, validated. Throws as `values`. */
  async documents(order: BodyOrder): Promise<Document[]> {
    const documents: Document[] = [];
    await this.#read('documents', order, (batch) => {
      if ('json' in batch) for (const one of JSON.parse(batch.json) as Document[]) documents.push(one);
    });
    return documents;
  }

  /** Ends the thread; who waits is told so. */
  close(): void {
    for (const { fail } of this.#waiting.splice(0)) fail(new MeridianError('unavailable', 'this control plane is stopping'));
    this.#end(new MeridianError('unavailable', 'this control plane is stopping'));
  }

  #read(as: BodyJob['as'], order: BodyOrder, take: WaitingBody['take']): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new MeridianError('unavailable', 'too many large bodies wait to be read', { hint: 'try again in 10 s', retryAfter: 10 });
    }
    return new Promise((resolve, reject) => {
      const { bytes, isJson } = order;
      const waiting: WaitingBody = { job: { bytes, isJson, as }, order, take, done: resolve, fail: reject };
      order.gone.addEventListener('abort', () => this.#leave(waiting), { once: true });
      this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    this.#current = this.#waiting.shift();
    clearTimeout(this.#timer);
    if (!this.#current) {
      this.#worker?.unref();
      this.#timer = setTimeout(() => this.#end(undefined), this.times.idle).unref();
      return;
    }
    this.#timer = setTimeout(() => this.#end(tooMuch('time')), this.times.most).unref();
    this.#worker ??= this.#started();
    this.#worker.ref();
    this.#since = performance.now();
    this.#worker.postMessage(this.#current.job);
  }

  #started(): Worker {
    const worker = this.start();
    const isOurs = () => worker === this.#worker;
    worker.on('message', (batch: BodyBatch) => isOurs() && this.#taken(batch));
    worker.on('error', (error: Error) => isOurs() && this.#end(reasonOf(error)));
    worker.on('exit', () => isOurs() && this.#end(new MeridianError('internal', 'the thread that reads bodies ended')));
    return worker;
  }

  #taken(batch: BodyBatch): void {
    const current = this.#current;
    if (!current) return;
    current.order.charge(batch.took);
    if ('refused' in batch) return this.#finish(() => current.fail(toError(batch.refused)));
    current.take(batch);
    if (batch.last) this.#finish(current.done);
    else this.#worker?.postMessage('next');
  }

  #finish(tell: () => void): void {
    this.#current = undefined;
    tell();
    this.#next();
  }

  /** Ends the thread, with what it is at. */
  #end(why: Error | undefined): void {
    clearTimeout(this.#timer);
    const [worker, current] = [this.#worker, this.#current];
    this.#worker = undefined;
    this.#current = undefined;
    void worker?.terminate();
    // What it cost is charged, whoever ended it: to go away is no way of having it for nothing.
    current?.order.charge(performance.now() - this.#since);
    if (current && why) current.fail(why);
    if (this.#waiting.length > 0) this.#next();
  }

  #leave(waiting: WaitingBody): void {
    const gone = new MeridianError('unavailable', 'the client is gone');
    const place = this.#waiting.indexOf(waiting);
    if (place >= 0) this.#waiting.splice(place, 1);
    if (this.#current === waiting) this.#end(gone);
    else waiting.fail(gone);
  }
}

function toError({ code, message, problems, hint }: Extract<BodyBatch, { refused: unknown }>['refused']): MeridianError {
  return new MeridianError(code, message, hint === undefined ? { problems } : { problems, hint });
}

function reasonOf(error: Error): MeridianError {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? tooMuch('memory') : new MeridianError('internal', `a body could not be read: ${error.message}`, { cause: error });
}

function tooMuch(what: 'time' | 'memory'): MeridianError {
  return new MeridianError('too_large', `reading the body takes too much ${what}`, { hint: 'divide it into several requests' });
}
