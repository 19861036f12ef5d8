import { X509Certificate } from 'node:crypto';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { parseNodeId, type ProxyId } from './proxy-id.js';
import { verifyToken } from './token.js';

/** Who opens a stream, as far as it can be seen. */
export interface Caller {
  /** What it says it is. */
  readonly nodeId: string;
  /** The token that it sends; undefined: none. */
  readonly token: string | undefined;
  /** The URI SANs of the client certificate that TLS verified. */
  readonly uriSans: readonly string[];
}

/** The proxy that the caller proves to be; undefined: it proves nothing. */
export type Authenticate = (caller: Caller) => ProxyId | undefined;

export function callerOf<A, B>(call: ServerDuplexStream<A, B>, nodeId: string): Caller {
  const [header, ...more] = call.metadata.get('authorization').map(String);
  const token = more.length === 0 && header !== undefined ? /^Bearer (\S+)$/.exec(header)?.[1] : undefined;
  const certificate = call.getAuthContext().sslPeerCertificate;
  return { nodeId, token, uriSans: certificate?.raw ? uriSansOf(certificate.raw) : [] };
}

/** None where one is written in a way that can't be taken apart for certain. */
function uriSansOf(der: Buffer): string[] {
  const names = new X509Certificate(der).subjectAltName ?? '';
  if (names.includes('"')) return [];
  return names
    .split(', ')
    .filter((name) => name.startsWith('URI:'))
    .map((name) => name.slice('URI:'.length));
}

/**
 * A caller is the proxy that its node id names when its token is for that one, or, without a token, when its certificate has one URI SAN, the
 * proxy's SPIFFE ID. `now`: seconds since 1970. `spiffeIdOf`: undefined for a proxy that is not known by a certificate.
 */
export function authenticator(
  secret: Uint8Array,
  now: () => number,
  spiffeIdOf: (proxy: ProxyId) => string | undefined = () => undefined,
): Authenticate {
  return ({ nodeId, token, uriSans }) => {
    const said = parseNodeId(nodeId);
    if (!said) return undefined;
    if (token === undefined) return uriSans.length === 1 && uriSans[0] === spiffeIdOf(said) ? said : undefined;
    const proven = verifyToken(secret, token, now());
    return proven?.mesh === said.mesh && proven.name === said.name ? said : undefined;
  };
}
