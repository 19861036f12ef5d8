import 'reflect-metadata'; // what the library's dependency injection needs
import { webcrypto } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { replaceFile } from '../input/replace-file.ts';

/**
 * Certificates to try mutual TLS with, on one machine. Loaded when `envoy certs` runs: no other command makes any.
 * The CA is made once for a folder. Its key lies there, so it is for nothing that matters.
 */

/** A CA of which the key is at hand. */
interface TrialCa {
  readonly pem: string;
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;
/** A trial does not last; a clock may be a little behind. */
const [BEFORE, LASTS] = [-DAY / 24, 7 * DAY];

/** The CA of a folder. It is made, and kept there in `ca.pem` and `ca.key`, where there is none that still holds. */
export async function trialCa(folder: string): Promise<TrialCa> {
  const [certFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
  if (existsSync(certFile) && existsSync(keyFile)) {
    const certificate = new x509.X509Certificate(readFileSync(certFile, 'utf8'));
    if (certificate.notAfter.getTime() > Date.now() + DAY) return withPem(certificate, await readKey(keyFile));
  }
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Meridian trial CA',
    keys,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  replaceFile(keyFile, await writeKey(keys.privateKey));
  const ca = withPem(certificate, keys.privateKey);
  replaceFile(certFile, ca.pem);
  return ca;
}

/**
 * Makes a certificate that is good for seven days on this machine's own addresses, and for a SPIFFE ID if one is said.
 * Out: the certificate and its key, as PEM.
 */
export async function issueTrial(ca: TrialCa, spiffeId: string | undefined): Promise<{ readonly cert: string; readonly key: string }> {
  const own = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Meridian trial',
    issuer: ca.certificate.subject,
    publicKey: own.publicKey,
    signingKey: ca.key,
    ...validity(),
    signingAlgorithm: ALGORITHM,
    extensions: extensionsOf(spiffeId),
  });
  return { cert: `${certificate.toString('pem')}\n`, key: await writeKey(own.privateKey) };
}

function withPem(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): TrialCa {
  return { pem: `${certificate.toString('pem')}\n`, certificate, key };
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() + BEFORE), notAfter: new Date(Date.now() + LASTS) };
}

function extensionsOf(spiffeId: string | undefined): x509.Extension[] {
  const names: x509.JsonGeneralName[] = [
    ...(spiffeId === undefined ? [] : [{ type: 'url', value: spiffeId } as const]),
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
  ];
  return [
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth, x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names),
  ];
}

async function writeKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

async function readKey(file: string): Promise<webcrypto.CryptoKey> {
  const [bytes] = x509.PemConverter.decode(readFileSync(file, 'utf8'));
  return webcrypto.subtle.importKey('pkcs8', bytes ?? new ArrayBuffer(0), ALGORITHM, true, ['sign']);
}
