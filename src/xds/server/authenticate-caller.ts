import { X509Certificate } from 'node:crypto';
import type { ServerDuplexStream, ServerUnaryCall } from '@grpc/grpc-js';
import { isListenerProof } from './listener-proof.ts';
import { parseNodeId, type ProxyId } from './proxy-id.ts';
import { verifyToken } from './proxy-token.ts';

/** Who opens a stream, as far as it can be seen. */
export interface Caller {
  /** What it says it is. */
  readonly nodeId: string;
  /** The token that it sends, '' where it can't be read; undefined: none. */
  readonly token: string | undefined;
  /** The client certificate that TLS verified; undefined: none. */
  readonly certificate: Certificate | undefined;
}

interface Certificate {
  readonly uriSans: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number;
}

/** What a caller proves. */
export interface ProxyProof {
  readonly proxy: ProxyId;
  /** How long it holds from now, in seconds, if nothing else changes. */
  readonly validFor: number;
}

/** The proxy that the caller proves to be, now; undefined: it proves nothing. */
export type Authenticate = (caller: Caller) => ProxyProof | undefined;

export function callerOf<A, B>(
  call: Pick<ServerDuplexStream<A, B> | ServerUnaryCall<A, B>, 'metadata' | 'getAuthContext'>,
  nodeId: string,
): Caller {
  const [header, ...more] = call.metadata.get('authorization').map(String);
  const token = header === undefined ? undefined : more.length === 0 ? (/^Bearer (\S+)$/.exec(header)?.[1] ?? '') : '';
  const der = call.getAuthContext().sslPeerCertificate?.raw;
  return { nodeId, token, certificate: der && readCertificate(der) };
}

function readCertificate(der: Buffer): Certificate {
  const certificate = new X509Certificate(der);
  return { uriSans: uriSansOf(certificate.subjectAltName ?? ''), expires: Date.parse(certificate.validTo) / 1000 };
}

/** None where one is written in a way that can't be taken apart for certain. */
function uriSansOf(names: string): string[] {
  if (names.includes('"')) return [];
  return names
    .split(', ')
    .filter((name) => name.startsWith('URI:'))
    .map((name) => name.slice('URI:'.length));
}

/**
 * A caller is the proxy that its node id names when its token is for that one, or its certificate has one URI SAN, the
 * proxy's SPIFFE ID. Who shows both must prove it by both. `now`: seconds since 1970. `spiffeIdOf`: undefined for a
 * proxy that is not known by a certificate.
 */
export function authenticator(
  secret: Uint8Array,
  now: () => number,
  spiffeIdOf: (proxy: ProxyId) => string | undefined = () => undefined,
): Authenticate {
  return ({ nodeId, token, certificate }) => {
    const proxy = parseNodeId(nodeId);
    if (!proxy) return undefined;
    const ends = [
      ...(token === undefined ? [] : [endOfToken(verifyToken(secret, token, now()), proxy)]),
      ...(certificate ? [endOfCertificate(certificate, spiffeIdOf(proxy))] : []),
    ];
    // Without either there is no end, and nothing is proven.
    const validFor = ends.length === 0 ? 0 : Math.min(...ends) - now();
    return validFor > 0 ? { proxy, validFor } : undefined;
  };
}

/**
 * The same of a proxy that asks about a call: by the proof that the zone put into its listeners, and where it has a
 * certificate, by that too.
 */
export function listenerAuthenticator(
  secret: Uint8Array,
  now: () => number,
  spiffeIdOf: (proxy: ProxyId) => string | undefined,
): (caller: Caller) => ProxyId | undefined {
  return ({ nodeId, token, certificate }) => {
    const proxy = parseNodeId(nodeId);
    if (!proxy || token === undefined || !isListenerProof(secret, proxy, token)) return undefined;
    return !certificate || endOfCertificate(certificate, spiffeIdOf(proxy)) > now() ? proxy : undefined;
  };
}

/** In seconds since 1970; long ago where it proves nothing. */
function endOfToken(token: ReturnType<typeof verifyToken>, { mesh, name }: ProxyId): number {
  return token?.mesh === mesh && token.name === name ? token.expires : 0;
}

function endOfCertificate({ uriSans, expires }: Certificate, spiffeId: string | undefined): number {
  const isIt = spiffeId !== undefined && uriSans.length === 1 && uriSans[0] === spiffeId;
  return isIt && Number.isFinite(expires) ? expires : 0;
}
