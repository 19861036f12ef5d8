import { after, test } from 'node:test';
import { createAuthority } from '../harness/certificates.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { open } from '../harness/transport.ts';
import { until } from '../harness/until.ts';

// A process of its own: the library keeps one kind of connection for the whole process.
const scope = new Scope();
after(() => scope.close());

test('NATS over a WebSocket with TLS: a private CA, and nobody else', async () => {
  const folder = scope.folder();
  const server = await (await createAuthority(folder)).issue('server', [], ['127.0.0.1']);
  const stranger = await createAuthority(scope.folder(), 'other');
  const nats = await startNats(scope, '', `tls { cert_file: "${server.cert}", key_file: "${server.key}" }`);
  const url = nats.webSocketUrl.replace('ws://', 'wss://');
  const [right, none, wrong] = [
    open(scope, url, 'east', undefined, { ca: server.ca }),
    open(scope, url, 'east'),
    open(scope, url, 'east', undefined, { ca: stranger.ca }),
  ];
  await until('the right one is connected', () => right.connected());
  for (const one of [none, wrong])
    await until('it is told why not', () => !one.connected() && /certificate|issuer/i.test(one.transport.disconnectedReason() ?? ''));
});
