import { connect } from 'node:net';
import { cpuMs } from '../process.ts';

/** What came of a load. */
export interface Figures {
  readonly perSecond: number;
  /** In ms, sorted. */
  readonly latencies: readonly number[];
  readonly bytes: number;
  /** CPU time of the server for each request, in µs. */
  readonly serverMicros: number;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * Asks for one address over `connections` connections at once, each the next time when it has its answer, for
 * `seconds`. The client does as little as can be: it shares a machine with the server. `pid` is the server's.
 */
export async function load(address: string, connections: number, seconds: number, pid: number): Promise<Figures> {
  const { hostname, port, pathname, search } = new URL(address);
  const request = Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
  const latencies: number[] = [];
  const before = cpuMs(pid);
  const started = performance.now();
  const until = started + seconds * 1_000;
  let bytes = 0;
  const one = () =>
    askAgain(Number(port), hostname, request, until, (size, took) => {
      latencies.push(took);
      bytes = size;
    });
  await Promise.all(Array.from({ length: connections }, one));
  const took = (performance.now() - started) / 1_000;
  const serverMicros = ((cpuMs(pid) - before) * 1_000) / latencies.length;
  return { perSecond: latencies.length / took, latencies: latencies.sort((a, b) => a - b), bytes, serverMicros };
}

/** One connection. Throws when an answer is no 200. */
function askAgain(
  port: number,
  host: string,
  request: Buffer,
  until: number,
  answered: (size: number, took: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host, noDelay: true });
    let [asked, awaited, size] = [0, 0, 0];
    const ask = (): void => {
      [asked, awaited, size] = [performance.now(), 0, 0];
      socket.write(request);
    };
    socket.on('connect', ask);
    socket.on('error', reject);
    socket.on('data', (part) => {
      if (awaited === 0) awaited = lengthOf(part);
      size += part.length;
      if (size < awaited) return;
      const now = performance.now();
      answered(size, now - asked);
      if (now < until) return ask();
      socket.destroy();
      resolve();
    });
  });
}

/** Of a whole answer, by its first part. */
function lengthOf(part: Buffer): number {
  const end = part.indexOf(END_OF_HEAD);
  const head = part.subarray(0, end).toString('latin1');
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  if (!head.startsWith('HTTP/1.1 200') || length === undefined) throw new Error(`not the expected answer: ${head}`);
  return end + END_OF_HEAD.length + Number(length);
}
