/**
 * Protobuf's wire format, written from its end: when the length of a message is written, the message stands behind it
 * already, and nothing is moved. Fields come out in the reverse order of the calls.
 *
 *   text('a') length(1) tag(1)  ->  0a 01 61
 */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafe(4096);
  #free = this.#bytes.length;

  /** How many bytes there are. */
  get size(): number {
    return this.#bytes.length - this.#free;
  }

  /** Forgets all of it, and keeps the room. */
  clear(): void {
    this.#free = this.#bytes.length;
  }

  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#free);
  }

  /** Of ASCII. */
  ascii(text: string): void {
    this.#room(text.length);
    this.#bytes.write(text, this.#free, 'latin1');
  }

  /** Up to 2^32 - 1. */
  varint(value: number): void {
    const length = value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
    this.#room(length);
    for (let index = 0, rest = value; index < length; index++, rest >>>= 7) {
      this.#bytes[this.#free + index] = (rest & 0x7f) | (index < length - 1 ? 0x80 : 0);
    }
  }

  /** The key of a field with a varint. */
  varintTag(field: number): void {
    this.varint(field << 3);
  }

  /** Makes a field of all that came since there were `from` bytes. */
  close(field: number, from: number): void {
    this.varint(this.size - from);
    this.varint((field << 3) | 2);
  }

  /** Once more what came between two sizes. */
  again(from: number, to: number): void {
    this.#room(to - from);
    const end = this.#bytes.length;
    this.#bytes.copyWithin(this.#free, end - to, end - from);
  }

  /** A copy of what came since there were `from` bytes. */
  since(from: number): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#free, this.#bytes.length - from));
  }

  /** Makes room for so many bytes before all others, and takes it. */
  #room(length: number): void {
    if (length > this.#free) {
      const wider = Buffer.allocUnsafe(2 * this.#bytes.length + length);
      const free = wider.length - this.size;
      wider.set(this.#bytes.subarray(this.#free), free);
      this.#bytes = wider;
      this.#free = free;
    }
    this.#free -= length;
  }
}
