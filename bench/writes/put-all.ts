import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** A document, and the path that it is put to. */
export interface Put {
  readonly path: string;
  readonly document: unknown;
}

/**
 * Puts all, over `clients` connections at once, each the next when it has its answer. The clients do as little as can
 * be: they share a machine with the server. Throws when an answer is none of success.
 */
export async function putAll(url: string, puts: readonly Put[], clients: number): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const left = puts.map(({ path, document }) => requestOf(host, path, JSON.stringify(document))).reverse();
  await Promise.all(
    Array.from({ length: clients }, () => oneAfterAnother(connect({ port: Number(port), host: hostname, noDelay: true }), left)),
  );
}

function requestOf(host: string, path: string, body: string): string {
  const head = [`PUT ${path} HTTP/1.1`, `host: ${host}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join('\r\n')}${END_OF_HEAD}${body}`;
}

function oneAfterAnother(socket: Socket, left: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const next = (): void => {
      const request = left.pop();
      answer = '';
      if (request !== undefined) socket.write(request);
      else socket.end(resolve);
    };
    socket.setEncoding('latin1');
    socket.on('connect', next);
    socket.on('error', reject);
    socket.on('data', (part: string) => {
      answer += part;
      const end = answer.indexOf(END_OF_HEAD);
      const [, length] = /content-length: (\d+)/i.exec(answer) ?? [];
      if (end < 0 || length === undefined || answer.length < end + END_OF_HEAD.length + Number(length)) return;
      if (/^HTTP\/1.1 20/.test(answer)) next();
      else reject(new Error(answer));
    });
  });
}
