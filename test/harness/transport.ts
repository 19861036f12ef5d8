import { NatsTransport } from '../../src/nats/nats-transport.ts';
import type { TlsFiles } from '../../src/nats/nats-tls.ts';
import type { Scope } from './scope.ts';

/** A transport that writes down what it hears; it is closed at the end of the scope. */
export function open(scope: Scope, url: string, zone: string, credsFile?: string, tls: TlsFiles = {}) {
  const heard: [peer: string, text: string][] = [];
  const log: { event: string; details: unknown }[] = [];
  const transport = new NatsTransport({ url, credsFile, tls, zone, log: (_level, event, details) => log.push({ event, details }) });
  let up = false;
  transport.onMessage((peer, text) => heard.push([peer, text]));
  transport.onConnection((connected) => {
    up = connected;
  });
  transport.start();
  scope.add(() => transport.close(1_000));
  return { transport, heard, log, connected: () => up, logged: (event: string) => log.some((line) => line.event === event) };
}
