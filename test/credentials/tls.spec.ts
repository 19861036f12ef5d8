import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAuthority } from '../harness/certificates.ts';
import { startNats } from '../harness/nats.ts';
import { Scope } from '../harness/scope.ts';
import { open } from '../harness/transport.ts';
import { until } from '../harness/until.ts';

const scope = new Scope();
after(() => scope.close());

test('TLS to NATS: a private CA, a certificate of our own, and nobody else', async () => {
  const folder = scope.folder();
  const authority = await createAuthority(folder);
  const server = await authority.issue('server', [], ['127.0.0.1']);
  const own = await authority.issue('east', []);
  const stranger = await (await createAuthority(scope.folder(), 'other')).issue('east', []);
  const nats = await startNats(
    scope,
    `tls { cert_file: "${server.cert}", key_file: "${server.key}", ca_file: "${server.ca}", verify: true }`,
  );
  const url = nats.url.replace('nats://', 'tls://');
  const cases = {
    right: open(scope, url, 'east', undefined, { ca: own.ca, cert: own.cert, key: own.key }),
    unknownServer: open(scope, url, 'east', undefined, { cert: own.cert, key: own.key }),
    noCertificate: open(scope, url, 'east', undefined, { ca: own.ca }),
    strange: open(scope, url, 'east', undefined, { ca: own.ca, cert: stranger.cert, key: stranger.key }),
    missing: open(scope, url, 'east', undefined, { ca: `${own.ca}.gone` }),
    otherName: open(scope, url.replace('127.0.0.1', 'localhost'), 'east', undefined, { ca: own.ca, cert: own.cert, key: own.key }),
    plain: open(scope, nats.url, 'east'),
  };
  await until('the right one is connected', () => cases.right.connected());
  const reasons: [keyof typeof cases, RegExp][] = [
    ['unknownServer', /certificate|issuer/i],
    ['noCertificate', /certificate|closed|ECONNRESET|lost|disconnected/i],
    ['strange', /certificate|unknown ca|closed|ECONNRESET|lost|disconnected/i],
    ['missing', /can't be read/],
    ['otherName', /altnames|ECONNREFUSED|::1/i],
    ['plain', /./],
  ];
  for (const [name, reason] of reasons) {
    await until(`${name} is told why not`, () => {
      const away = cases[name].transport.disconnectedReason() ?? '';
      if (cases[name].connected()) throw new Error(`${name} is connected`);
      if (!reason.test(away) || away === 'not connected yet') throw new Error(away);
      return true;
    });
  }
});

test('a connection over TLS leaves no error in the log of NATS', async () => {
  const authority = await createAuthority(scope.folder());
  const { cert, key, ca } = await authority.issue('server', [], ['127.0.0.1']);
  const nats = await startNats(scope, `tls { cert_file: "${cert}", key_file: "${key}" }`);
  const east = open(scope, nats.url.replace('nats://', 'tls://'), 'east', undefined, { ca });
  await until('connected', () => east.connected());
  await east.transport.close(1_000);
  const other = open(scope, nats.url.replace('nats://', 'tls://'), 'west', undefined, { ca });
  await until('a later one is connected, so that all of the first is logged', () => other.connected());
  assert.deepEqual(
    nats.lines().filter((line) => /error|handshake/i.test(line)),
    [],
  );
});
