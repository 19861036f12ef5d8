import 'reflect-metadata'; // what the library's dependency injection needs
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate authority of which the key is at hand. */
export interface CertificateAuthority {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** From when until when something is good, in milliseconds from now. */
export type Validity = readonly [from: number, to: number];

/** A certificate and its key, as PEM. */
export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Makes a CA that signs itself. */
export async function makeAuthority(name: string, validity: Validity): Promise<CertificateAuthority> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    ...datesOf(validity),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { certificate, key: keys.privateKey };
}

/** Makes a certificate for a server and a client. `names`: its subject alternative names, in this order. */
export async function issueCertificate(
  ca: CertificateAuthority,
  { subject, names, validity }: { readonly subject: string; readonly names: readonly x509.JsonGeneralName[]; readonly validity: Validity },
): Promise<MadeCertificate> {
  const own = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${subject}`,
    issuer: ca.certificate.subject,
    publicKey: own.publicKey,
    signingKey: ca.key,
    ...datesOf(validity),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension([...names])] : []),
    ],
  });
  return { cert: certificatePem(certificate), key: await keyPem(own.privateKey) };
}

export function certificatePem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

export async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

/** The CA that `certificatePem` and `keyPem` wrote. Throws what the library throws for other text. */
export async function readAuthority(cert: string, key: string): Promise<CertificateAuthority> {
  const [bytes] = x509.PemConverter.decode(key);
  const imported = webcrypto.subtle.importKey('pkcs8', bytes ?? new ArrayBuffer(0), ALGORITHM, true, ['sign']);
  return { certificate: new x509.X509Certificate(cert), key: await imported };
}

function datesOf([from, to]: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + from), notAfter: new Date(Date.now() + to) };
}
