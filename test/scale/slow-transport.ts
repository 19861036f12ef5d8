import { createConnection, type Socket } from 'node:net';
import { setInterval as every } from 'node:timers';
import { MAX_MESSAGE_BYTES } from '../../src/kds/protocol.ts';
import type { Transport, PeerPath } from '../../src/kds/transport.ts';
import { downSubject, upSubject } from '../../src/nats/subjects.ts';
import { GLOBAL_PEER } from '../../src/resource/audience.ts';

const TURN = 100;

/**
 * A zone's transport on NATS that takes only so many bytes a second off its connection, so that what is meant for it
 * waits at the server. A connection that the server ends for that is made anew.
 */
export class SlowTransport implements Transport {
  private readonly port: number;
  private readonly zone: string;
  /** May be changed. */
  public bytesPerSecond: number;

  private socket: Socket | undefined;
  private received = Buffer.alloc(0);
  private allowance = 0;
  private closed = false;
  private readonly turns: NodeJS.Timeout;
  private handle: (peer: string, text: string) => void = () => {};
  private tell: (connected: boolean) => void = () => {};
  /** How often the server ended the connection. */
  lost = 0;

  constructor(port: number, zone: string, bytesPerSecond: number) {
    this.port = port;
    this.zone = zone;
    this.bytesPerSecond = bytesPerSecond;
    this.turns = every(() => this.turn(), TURN);
    this.connect();
  }

  way(): PeerPath {
    return { mostBytes: MAX_MESSAGE_BYTES };
  }

  send(_peer: string, text: string): void {
    this.socket?.write(`PUB ${upSubject(this.zone)} ${Buffer.byteLength(text)}\r\n${text}\r\n`);
  }

  onMessage(handler: (peer: string, text: string) => void): void {
    this.handle = handler;
  }

  onConnection(handler: (connected: boolean) => void): void {
    this.tell = handler;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.turns);
    this.socket?.destroy();
  }

  private connect(): void {
    const socket = createConnection({ host: '127.0.0.1', port: this.port });
    this.received = Buffer.alloc(0);
    socket.on('connect', () => {
      socket.write(`CONNECT {"verbose":false,"echo":false}\r\nSUB ${downSubject(this.zone)} 1\r\n`);
      this.socket = socket;
      this.tell(true);
    });
    socket.on('error', () => {}); // 'close' follows.
    socket.on('close', () => this.ended());
    socket.pause();
  }

  private ended(): void {
    this.socket = undefined;
    if (this.closed) return;
    this.lost += 1;
    this.tell(false);
    setTimeout(() => this.closed || this.connect(), TURN).unref();
  }

  private turn(): void {
    this.allowance = Math.min(this.allowance + (this.bytesPerSecond * TURN) / 1000, this.bytesPerSecond);
    while (this.socket && this.allowance >= 1) {
      const ready = Math.min(Math.floor(this.allowance), this.socket.readableLength);
      const part = ready > 0 ? (this.socket.read(ready) as Buffer | null) : (this.socket.read(0), null);
      if (part === null) return;
      this.allowance -= part.length;
      this.take(part);
    }
  }

  /** `MSG subject 1 bytes`, then the bytes; anything else is a line. */
  private take(part: Buffer): void {
    this.received = Buffer.concat([this.received, part]);
    for (let end = this.received.indexOf('\r\n'); end >= 0; end = this.received.indexOf('\r\n')) {
      const line = this.received.toString('latin1', 0, end);
      const size = line.startsWith('MSG ') ? Number(line.split(' ').at(-1)) : -1;
      const next = size < 0 ? end + 2 : end + 2 + size + 2;
      if (this.received.length < next) return;
      if (line === 'PING') this.socket?.write('PONG\r\n');
      const text = this.received.toString('utf8', end + 2, end + 2 + Math.max(size, 0));
      this.received = this.received.subarray(next);
      if (size >= 0) this.handle(GLOBAL_PEER, text);
    }
  }
}
