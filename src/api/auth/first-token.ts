import { chmodSync, writeFileSync } from 'node:fs';
import type { Report } from '../../control/sync.js';
import type { Tokens } from './tokens.js';

const DAY = 24 * 3600;
const NAME = 'first-admin';

/**
 * Where nobody is an admin without a token there must be a first one: as long as no admin's token holds, each start puts one for a day into a file that
 * only the owner of the process can read.
 */
export async function writeFirstToken(tokens: Tokens, file: string, report: Report): Promise<void> {
  if (tokens.list().some(({ role, revoked }) => role === 'admin' && revoked === undefined)) return;
  const { id, token } = await tokens.issue({ name: NAME, role: 'admin', validFor: DAY, issuedBy: NAME });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  // The mode is that of a new file only.
  chmodSync(file, 0o600);
  report('warn', "there was no admin's token: one for a day is in a file", { file, tokenId: id });
}
