import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { MeridianError } from '../../errors.ts';

/**
 * That the request is for us, and of no other web site's page: any page can make a browser send requests to loopback,
 * and a name that an attacker's DNS points here makes them look like the page's own. `names`: what this control plane
 * is called. Throws `forbidden`.
 */
export function requireOwnSite(request: IncomingMessage, names: readonly string[]): void {
  requireKnownHost(request.headers, names);
  requireOwnPage(request);
}

/** An IP literal and `localhost` can't be rebound. */
function requireKnownHost({ host }: IncomingHttpHeaders, names: readonly string[]): void {
  const name = hostName(host ?? '');
  if (name !== undefined && (isIP(name) !== 0 || name === 'localhost' || names.includes(name))) return;
  throw new MeridianError('forbidden', 'the Host header names another host', {
    hint: `use an IP address or ${['localhost', ...names].join(' or ')}, or add the name to MERIDIAN_API_HOSTNAMES`,
  });
}

/** `[::1]:5681` -> `::1`, `localhost:5681` -> `localhost`; undefined for what is no host. */
function hostName(host: string): string | undefined {
  const [, bracketed, plain, port = '0'] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::(\d{1,5}))?$/i.exec(host) ?? [];
  return Number(port) > 65_535 ? undefined : (bracketed ?? plain?.toLowerCase());
}

/**
 * Browsers say where a page is from: in Origin with what changes something, in Sec-Fetch-Site with everything. A link
 * may lead here.
 */
function requireOwnPage({ headers, socket }: IncomingMessage): void {
  const { origin, host } = headers;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const own = origin === undefined || origin.toLowerCase() === `${scheme}://${host}`.toLowerCase();
  if (own && !isOfAnotherSite(headers)) return;
  throw new MeridianError('forbidden', `the ${own ? 'Sec-Fetch-Site' : 'Origin'} header names another site`, {
    hint: 'requests of other web pages are not answered',
  });
}

function isOfAnotherSite({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: IncomingHttpHeaders): boolean {
  return (site === 'cross-site' || site === 'same-site') && mode !== 'navigate';
}
