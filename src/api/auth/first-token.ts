import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { Report } from '../../report.ts';
import type { Tokens } from './api-tokens.ts';

const DAY = 24 * 3600;
const NAME = 'first-admin';

/**
 * Where nobody is an admin without a token there must be a first one: as long as no admin's token holds, each start
 * puts one for a day into a file that only the owner of the process can read.
 */
export async function writeFirstToken(tokens: Tokens, file: string, report: Report): Promise<void> {
  if (tokens.list().some(({ role, revoked }) => role === 'admin' && revoked === undefined)) return;
  const { id, token } = await tokens.issue({ name: NAME, role: 'admin', validFor: DAY, issuedBy: NAME });
  writeSecret(file, `${token}\n`);
  report('warn', "there was no admin's token: one for a day is in a file", { file, tokenId: id });
}

/**
 * A new file, which nobody else could open in between, in the place of what was there: a file that others may read, or
 * a link to somewhere.
 */
function writeSecret(file: string, text: string): void {
  const next = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    renameSync(next, file);
  } finally {
    rmSync(next, { force: true });
  }
}
