import type { Random } from '../simulator/random.ts';

/** What a program did to a file of its folder, or said (test/faults/trace-writes.py). */
export type FileEvent =
  | { readonly do: 'write'; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly do: 'truncate'; readonly file: string; readonly length: number }
  | { readonly do: 'sync' | 'remove'; readonly file: string }
  | { readonly do: 'said'; readonly text: string };

/** A disk writes this much at once, or nothing of it. */
const SECTOR = 512;

/** The events of a trace. Throws for one of another kind: then the image would not be what a disk has. */
export function readEvents(trace: string): FileEvent[] {
  return trace
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what, file = '', first = '', bytes = ''] = line.split(' ');
      if (what === 'write') return { do: what, file, offset: Number(first), bytes: Buffer.from(bytes, 'hex') };
      if (what === 'truncate') return { do: what, file, length: Number(first) };
      if (what === 'sync' || what === 'remove') return { do: what, file };
      if (what === 'said') return { do: what, text: line.slice('said '.length) };
      throw new Error(`not understood: ${line}`);
    });
}

type Change = Extract<FileEvent, { do: 'write' | 'truncate' }>;

/** The files of a folder, as a disk has them: what was synced, and what it may still have in its memory. */
export class Disk {
  readonly #synced = new Map<string, FileContent>();
  readonly #unsynced = new Map<string, Change[]>();

  apply(event: FileEvent): void {
    if (event.do === 'said') return;
    const { file } = event;
    if (event.do === 'remove') this.#remove(file);
    else if (event.do === 'sync') this.#sync(file);
    else if (event.do === 'write' || event.do === 'truncate') this.#waiting(file).push(event);
  }

  /** What is there after a power cut: of what was not synced any sectors, in any order of files. */
  afterPowerCut(random: Random): ReadonlyMap<string, Buffer> {
    const names = new Set([...this.#synced.keys(), ...this.#unsynced.keys()]);
    return new Map([...names].map((name) => [name, this.#survived(name, random)]));
  }

  #survived(name: string, random: Random): Buffer {
    const chance = random.below(3) / 2;
    const content = new FileContent(this.#synced.get(name)?.bytes());
    for (const part of this.#waiting(name).flatMap(sectors)) if (random.chance(chance)) content.apply(part);
    return content.bytes();
  }

  #sync(file: string): void {
    const content = this.#synced.get(file) ?? new FileContent();
    for (const change of this.#waiting(file).splice(0)) content.apply(change);
    this.#synced.set(file, content);
  }

  #waiting(file: string): Change[] {
    const waiting = this.#unsynced.get(file) ?? [];
    this.#unsynced.set(file, waiting);
    return waiting;
  }

  #remove(file: string): void {
    this.#synced.delete(file);
    this.#unsynced.delete(file);
  }
}

function sectors(change: Change): Change[] {
  if (change.do === 'truncate') return [change];
  const { bytes, offset } = change;
  const parts: Change[] = [];
  for (let from = 0; from < bytes.length; ) {
    const until = Math.min(bytes.length, from + SECTOR - ((offset + from) % SECTOR));
    parts.push({ ...change, offset: offset + from, bytes: bytes.subarray(from, until) });
    from = until;
  }
  return parts;
}

/** The bytes of one file, which grow in place: there are thousands of writes. */
class FileContent {
  #bytes: Buffer;
  #length: number;

  constructor(bytes: Uint8Array = new Uint8Array()) {
    this.#bytes = Buffer.from(bytes);
    this.#length = bytes.length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  apply(change: Change): void {
    if (change.do === 'truncate') this.#resize(change.length);
    else {
      this.#resize(Math.max(this.#length, change.offset + change.bytes.length));
      change.bytes.copy(this.#bytes, change.offset);
    }
  }

  #resize(length: number): void {
    if (length > this.#bytes.length) this.#bytes = Buffer.concat([this.bytes()], length * 2);
    this.#bytes.fill(0, Math.min(length, this.#length), this.#length);
    this.#length = length;
  }
}
