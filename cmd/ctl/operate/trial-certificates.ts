import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonGeneralName } from '@peculiar/x509';
import { replaceFile } from '../input/replace-file.ts';
import {
  type CertificateAuthority,
  type MadeCertificate,
  certificatePem,
  issueCertificate,
  keyPem,
  makeAuthority,
  readAuthority,
  type Validity,
} from './issue-certificates.ts';

/**
 * Certificates to try mutual TLS with, on one machine. Loaded when `envoy certs` runs: no other command makes any.
 * The CA is made once for a folder. Its key lies there, so it is for nothing that matters.
 */

interface TrialCa extends CertificateAuthority {
  readonly pem: string;
}

const DAY = 86_400_000;
/** A trial does not last; a clock may be a little behind. */
const VALIDITY: Validity = [-DAY / 24, 7 * DAY];

/** The CA of a folder. It is made, and kept there in `ca.pem` and `ca.key`, where there is none that still holds. */
export async function trialCa(folder: string): Promise<TrialCa> {
  const [certFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'ca.key')];
  if (existsSync(certFile) && existsSync(keyFile)) {
    const kept = await readAuthority(readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8'));
    if (kept.certificate.notAfter.getTime() > Date.now() + DAY) return { ...kept, pem: certificatePem(kept.certificate) };
  }
  const ca = await makeAuthority('Meridian trial CA', VALIDITY);
  const pem = certificatePem(ca.certificate);
  replaceFile(keyFile, await keyPem(ca.key));
  replaceFile(certFile, pem);
  return { ...ca, pem };
}

/** Makes a certificate, good for seven days, of this machine's own addresses, and of a SPIFFE ID if one is said. */
export function issueTrial(ca: TrialCa, spiffeId: string | undefined): Promise<MadeCertificate> {
  const names: JsonGeneralName[] = [
    ...(spiffeId === undefined ? [] : [{ type: 'url', value: spiffeId } as const]),
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
  ];
  return issueCertificate(ca, { subject: 'Meridian trial', names, validity: VALIDITY });
}
