import { invalid, type MeridianError } from '../errors.ts';

/** A NATS server to connect to, taken apart from its URL. */
export interface NatsAddress {
  readonly protocol: 'nats' | 'tls' | 'ws' | 'wss';
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  /** The URL without its user and password: for the client and for logs. */
  readonly url: string;
  /** `user:password@` */
  readonly user?: { readonly name: string; readonly password: string } | undefined;
  /** `token@` */
  readonly token?: string | undefined;
}

const PORTS = { nats: 4222, tls: 4222, ws: 80, wss: 443 } as const;

/**
 * The servers of a list like `nats://a:4222,nats://b:4222`; each may have its own user. Throws `invalid`: all must be
 * reached in the same way, for a client certificate or what is encrypted must not depend on which one answers.
 */
export function parseAddresses(text: string): readonly NatsAddress[] {
  const addresses = text.split(',').map((one) => parseAddress(one.trim()));
  if (new Set(addresses.map(({ protocol }) => protocol)).size > 1) throw wrong('must have one scheme for all servers');
  return addresses;
}

/**
 * Takes a URL like `tls://nats.example.org:4222` apart. Throws `invalid`; the message never holds the URL, for it may
 * hold a password.
 */
export function parseAddress(text: string): NatsAddress {
  const protocol = text.split('://')[0] ?? '';
  if (!isProtocol(protocol)) throw wrong('must begin with nats://, tls://, ws:// or wss:// (a comma within a password is %2C)');
  const parsed = parseUrl(`http://${text.slice(protocol.length + 3)}`);
  if (!parsed || parsed.hostname === '') throw wrong('is not a URL');
  // `new URL` drops the port that is http's own.
  const port = parsed.port === '' ? (/:0*80$/.test(authority(text)) ? 80 : PORTS[protocol]) : Number(parsed.port);
  const path = protocol === 'ws' || protocol === 'wss' ? parsed.pathname.replace(/^\/$/, '') : '';
  return {
    protocol,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port,
    url: `${protocol}://${parsed.hostname}:${port}${path}`,
    ...userOf(decode(parsed.username), decode(parsed.password)),
  };
}

function userOf(name: string, password: string): Pick<NatsAddress, 'user' | 'token'> {
  if (name === '') return {};
  return password === '' ? { token: name } : { user: { name, password } };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong('has a user or password that is not percent-encoded');
  }
}

function isProtocol(text: string): text is NatsAddress['protocol'] {
  return Object.hasOwn(PORTS, text);
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // The caller says what is wrong, without the text.
  }
}

/** What stands between `//` and the path. */
function authority(text: string): string {
  return (text.split('://')[1] ?? '').split(/[/?#]/)[0] ?? '';
}

function wrong(reason: string): MeridianError {
  return invalid([{ field: 'MERIDIAN_NATS_URL', reason }]);
}
