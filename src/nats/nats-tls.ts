import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { MeridianError } from '../errors.ts';
import type { NatsAddress } from './nats-address.ts';

/**
 * PEM files for TLS to NATS: the CA that signed the server's certificate (undefined: those that Node trusts), and an
 * own certificate with its key.
 */
export interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** What Node's TLS takes. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly checkServerIdentity?: (name: string, certificate: PeerCertificate) => Error | undefined;
}

/**
 * The options for a connection to `address`. The files are read at each connect, so that new ones count from then on.
 * Where the host is an address the library would check the certificate against `localhost`. Throws `unavailable` for a
 * file that can't be read.
 */
export function tlsOptions({ host }: NatsAddress, { ca, cert, key }: TlsFiles): TlsOptions {
  return {
    ...(ca === undefined ? {} : { ca: read(ca) }),
    ...(cert === undefined ? {} : { cert: read(cert) }),
    ...(key === undefined ? {} : { key: read(key) }),
    ...(isIP(host) === 0
      ? {}
      : { checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(host, certificate) }),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new MeridianError('unavailable', `the file ${path} for TLS to NATS can't be read`, { cause });
  }
}
