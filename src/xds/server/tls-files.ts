import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { invalid, type Problem } from '../../errors.ts';

/** Paths of PEM files. With `clientCa`, every proxy needs a certificate of that CA. */
export interface XdsTls {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string | undefined;
}

/** What the files hold. */
export interface TlsContent {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
}

/** Throws `invalid` with each file that can't be read or used. */
export function readTls(files: XdsTls): TlsContent {
  const problems: Problem[] = [];
  const read = (field: keyof XdsTls): Buffer => readOne(files[field] ?? '', field, problems);
  const content = { cert: read('cert'), key: read('key'), clientCa: files.clientCa === undefined ? undefined : read('clientCa') };
  if (problems.length === 0) problems.push(...unusable(files, content));
  if (problems.length > 0) throw invalid(problems, 'Give PEM files: a certificate with its chain, its key, and the CA of the proxies.');
  return content;
}

export function isSameContent(a: TlsContent, b: TlsContent): boolean {
  return a.cert.equals(b.cert) && a.key.equals(b.key) && isSameCa(a, b);
}

export function isSameCa({ clientCa: a }: TlsContent, { clientCa: b }: TlsContent): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}

/** What is wrong with the key's mode, if others than its owner may read it. */
export function exposedKey({ key }: XdsTls): string | undefined {
  const stat = statSync(key, { throwIfNoEntry: false });
  return stat && (stat.mode & 0o077) !== 0 ? `others than its owner may read the key of the xDS server, ${key}` : undefined;
}

function readOne(path: string, field: string, problems: Problem[]): Buffer {
  try {
    return readFileSync(path);
  } catch (thrown) {
    problems.push({
      field,
      reason: `${path} can't be read: ${thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'why is not known'}`,
    });
    return Buffer.alloc(0);
  }
}

/** What is in the files is not told: one of them is a key. */
function unusable(files: XdsTls, { cert, key, clientCa }: TlsContent): Problem[] {
  const attempts: [field: string, reason: string, attempt: () => unknown][] = [
    ['cert', `${files.cert} holds no certificate`, () => new X509Certificate(cert)],
    ['key', `${files.key} is not the key of ${files.cert}`, () => createSecureContext({ cert, key })],
    ['clientCa', `${files.clientCa} holds no certificate`, () => clientCa && new X509Certificate(clientCa)],
  ];
  return attempts.flatMap(([field, reason, attempt]) => (works(attempt) ? [] : [{ field, reason }]));
}

function works(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
