import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MeridianError } from '../errors.js';

/**
 * Who may ask (design, section 8: loopback counts as admin). Until there are tokens, that is whoever connects from this machine; and a
 * browser only when the page itself came from here, for any web page can make it send requests to loopback.
 */
export function addGuard(app: FastifyInstance, address: string): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
    requireLocal(request);
    requireKnownHost(request, address);
    requireSameOrigin(request);
    done();
  });
}

function requireLocal(request: FastifyRequest): void {
  if (isLoopback(request.socket.remoteAddress ?? '')) return;
  throw new MeridianError('unauthorized', 'only requests from this machine are answered', {
    hint: 'there are no tokens yet: ask from the machine that the control plane runs on',
  });
}

/** Of `127.0.0.0/8`, `::1`, or the former written as IPv6. */
export function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

/** A name that an attacker's DNS points to loopback is not ours: an IP literal and `localhost` can't be rebound. */
function requireKnownHost({ headers }: FastifyRequest, address: string): void {
  const name = hostName(headers.host ?? '');
  if (name !== undefined && (isIP(name) !== 0 || name === 'localhost' || name === address)) return;
  throw new MeridianError('forbidden', 'the Host header names another host', {
    hint: `use an IP address, localhost or ${address}`,
  });
}

/** `[::1]:5681` -> `::1`, `localhost:5681` -> `localhost`; undefined for what is no host. */
function hostName(host: string): string | undefined {
  const [, bracketed, plain, port = '0'] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return Number(port) > 65_535 ? undefined : (bracketed ?? plain?.toLowerCase());
}

function requireSameOrigin({ headers }: FastifyRequest): void {
  const { origin, host } = headers;
  if (origin === undefined || origin.toLowerCase() === `http://${host}`.toLowerCase()) return;
  throw new MeridianError('forbidden', 'the Origin header names another site', { hint: 'requests of other web pages are not answered' });
}
