import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Report } from '../../report.ts';
import { invalid } from '../../errors.ts';

/** The paths of two PEM files: the certificate, with those between it and the CA, and its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** What they hold. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/**
 * How often the files are checked for changes. Files are moved and mounted in many ways, so their contents are
 * compared.
 */
const LOOK = 2_000;

/**
 * The certificate and key, which belong together. Throws `invalid` and says which file is wrong, never what is in it.
 */
export function readPair({ cert, key }: CertificateFiles): CertificatePair {
  const pair = { cert: read(cert, 'apiTlsCert (MERIDIAN_API_TLS_CERT)'), key: read(key, 'apiTlsKey (MERIDIAN_API_TLS_KEY)') };
  try {
    createSecureContext(pair);
    return pair;
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? ` (${String(thrown.code)})` : '';
    const reason = `and apiTlsKey (MERIDIAN_API_TLS_KEY) must be a certificate and its key, in PEM, without a password${code}`;
    throw invalid([{ field: 'apiTlsCert (MERIDIAN_API_TLS_CERT)', reason }]);
  }
}

function read(path: string, field: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw invalid([
      { field, reason: `can't be read: ${thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown)}` },
    ]);
  }
}

/**
 * Serves new files as soon as they are there and belong together; until then what was served before. `servers` gives
 * those that serve them. The result ends it.
 */
export function watchPair(files: CertificateFiles, first: CertificatePair, servers: () => readonly Server[], report: Report): () => void {
  let served = first;
  let told = '';
  tell(served, report, 'the certificate');
  const look = (): void => {
    try {
      const pair = readPair(files);
      told = '';
      if (pair.cert === served.cert && pair.key === served.key) return;
      for (const server of servers()) server.setSecureContext(pair);
      served = pair;
      tell(pair, report, 'a new certificate is served');
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      if (reason !== told) report('error', 'the new certificate can not be served, the old one is', { reason });
      told = reason;
    }
  };
  const timer = setInterval(look, LOOK).unref();
  return () => clearInterval(timer);
}

function tell({ cert }: CertificatePair, report: Report, event: string): void {
  const { subject, subjectAltName, validTo } = new X509Certificate(cert);
  report('info', event, { subject, names: subjectAltName, expires: validTo });
}
