import { MeridianError } from '../../errors.ts';
import { isObject } from '../../resource/field-path.ts';
import { parseAddress } from '../nats-address.ts';
import { dial } from '../dial-nats.ts';
import type { TlsFiles } from '../nats-tls.ts';
import { type Authority, claimsOf, operatorCreds } from './zone-authority.ts';
import { CLAIMS_UPDATE, OPERATOR_INBOX } from './subject-permissions.ts';

const TIMEOUT = 5_000;

/**
 * Tells a running nats-server, and so all of its cluster, what the account says now: connections of revoked credentials
 * are closed at once. `now`: seconds. Throws `unavailable` when it can't be reached or does not take it.
 */
export async function tellServer(authority: Authority, url: string, tls: TlsFiles, now: number): Promise<void> {
  const { account } = await claimsOf(authority);
  const creds = await operatorCreds(authority, now);
  const { connection } = await dialOr(url, creds, tls);
  try {
    const answer = await connection.request(CLAIMS_UPDATE, account, { timeout: TIMEOUT }).catch((cause: unknown) => {
      throw new MeridianError('unavailable', 'the NATS server did not answer', {
        cause,
        hint: 'does it have the configuration of `meridianctl zone add`?',
      });
    });
    const said: unknown = answer.json();
    if (!isObject(said) || !isObject(said.data) || said.data.code !== 200) {
      throw new MeridianError('unavailable', `the NATS server did not take it: ${JSON.stringify(said).slice(0, 300)}`);
    }
  } finally {
    await connection.close();
  }
}

async function dialOr(url: string, creds: string, tls: TlsFiles) {
  try {
    return await dial(parseAddress(url), { credentials: { text: creds }, tls, name: 'meridianctl', inbox: OPERATOR_INBOX });
  } catch (cause) {
    if (cause instanceof MeridianError) throw cause;
    throw new MeridianError('unavailable', `${parseAddress(url).url} can't be reached`, { cause });
  }
}
