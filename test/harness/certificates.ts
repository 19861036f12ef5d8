import 'reflect-metadata'; // what the library's dependency injection needs
import { webcrypto } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

/** Paths of PEM files: the CA, a certificate that it made, and its key. */
export interface IssuedCertificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test. */
export interface TestAuthority {
  /** The CA's own certificate. */
  readonly ca: string;
  /**
   * Makes a certificate with these URI SANs, in this order, and these IP addresses. One of the same name is replaced by
   * a move.
   */
  issue(name: string, uris: readonly string[], addresses?: readonly string[], odd?: Odd): Promise<IssuedCertificate>;
}

/** What certificates have seldom. */
interface Odd {
  /** Its common name. */
  readonly subject?: string;
  readonly dns?: readonly string[];
  /** From when until when it is good, in hours from now. */
  readonly hours?: readonly [number, number];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR = 3_600_000;

/** Makes a CA, with its files in a folder. */
export async function createAuthority(folder: string, name = 'ca'): Promise<TestAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const ca = write(folder, `${name}.crt`, root.toString('pem'));
  return {
    ca,
    async issue(leaf, uris, addresses = [], { subject = leaf, dns = [], hours } = {}) {
      const own = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: `CN=${subject}`,
        issuer: root.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        ...validity(hours),
        signingAlgorithm: ALGORITHM,
        extensions: extensionsOf(uris, addresses, dns),
      });
      const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', own.privateKey), 'PRIVATE KEY');
      return { ca, key: write(folder, `${leaf}.key`, key), cert: write(folder, `${leaf}.crt`, certificate.toString('pem')) };
    },
  };
}

function validity([from, to]: readonly [number, number] = [-1, 24]): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + from * HOUR), notAfter: new Date(Date.now() + to * HOUR) };
}

function extensionsOf(uris: readonly string[], addresses: readonly string[], dns: readonly string[]): x509.Extension[] {
  const names: x509.JsonGeneralName[] = [
    ...uris.map((value) => ({ type: 'url', value }) as const),
    ...addresses.map((value) => ({ type: 'ip', value }) as const),
    ...dns.map((value) => ({ type: 'dns', value }) as const),
  ];
  const usages = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]);
  return [
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    usages,
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ];
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.next`, text, { mode: 0o600 });
  renameSync(`${path}.next`, path);
  return path;
}
