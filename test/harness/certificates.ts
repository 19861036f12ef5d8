import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificatePem, issueCertificate, makeAuthority } from '../../cmd/ctl/operate/issue-certificates.ts';

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

const HOUR = 3_600_000;

/** Makes a CA, with its files in a folder. */
export async function createAuthority(folder: string, name = 'ca'): Promise<TestAuthority> {
  const authority = await makeAuthority(name, [-HOUR, 24 * HOUR]);
  const ca = write(folder, `${name}.crt`, certificatePem(authority.certificate));
  return {
    ca,
    async issue(leaf, uris, addresses = [], { subject = leaf, dns = [], hours: [from, to] = [-1, 24] } = {}) {
      const names = [
        ...uris.map((value) => ({ type: 'url', value }) as const),
        ...addresses.map((value) => ({ type: 'ip', value }) as const),
        ...dns.map((value) => ({ type: 'dns', value }) as const),
      ];
      const { cert, key } = await issueCertificate(authority, { subject, names, validity: [from * HOUR, to * HOUR] });
      return { ca, key: write(folder, `${leaf}.key`, key), cert: write(folder, `${leaf}.crt`, cert) };
    },
  };
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(`${path}.next`, text, { mode: 0o600 });
  renameSync(`${path}.next`, path);
  return path;
}
