import { encodeAccount, encodeOperator, encodeUser, fmtCreds } from '@nats-io/jwt';
import { createAccount, createOperator, createUser, fromSeed, type KeyPair } from '@nats-io/nkeys';
import * as z from 'zod';
import { MeridianError } from '../../errors.ts';
import { NOTHING, OPERATOR, type SubjectPermissions, permissionsOf } from './subject-permissions.ts';

/** A credential that was given out: its public key, and since when (seconds). */
const issuedSchema = z.strictObject({ user: z.string(), since: z.number().int() });

const authoritySchema = z.strictObject({
  /** Seeds: whoever has them can speak as anybody. */
  operator: z.string(),
  system: z.string(),
  account: z.string(),
  /** By zone; '' is global. */
  issued: z.record(z.string(), issuedSchema),
  /** Public keys that were revoked, and since when (seconds). */
  revoked: z.record(z.string(), z.number().int()),
});

/**
 * Who vouches for the control planes at NATS: an operator, its system account, and the one account that all of Meridian
 * speaks in. It is kept by the person who adds zones, never by a control plane.
 */
export type Authority = z.infer<typeof authoritySchema>;

export function newAuthority(): Authority {
  const seed = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed());
  return { operator: seed(createOperator()), system: seed(createAccount()), account: seed(createAccount()), issued: {}, revoked: {} };
}

/** What was kept of one. Throws `invalid`, without any of the text: it holds seeds. */
export function readAuthority(text: string): Authority {
  try {
    return authoritySchema.parse(JSON.parse(text));
  } catch {
    throw new MeridianError('invalid', 'the file of the NATS authority is damaged', { hint: 'restore it from a backup' });
  }
}

/** A new credential. `creds`: the text of the credentials file that a control plane reads; a secret. */
export interface Credential {
  readonly authority: Authority;
  readonly creds: string;
}

/**
 * Makes the credential of a zone ('' for global). One that it had before is revoked: a zone has one. `now`: seconds.
 * `validFor`: seconds, or undefined for one that does not expire.
 */
export async function issue(authority: Authority, zone: string, now: number, validFor?: number): Promise<Credential> {
  const user = createUser();
  const creds = await credsOf(zone === '' ? 'global' : `zone-${zone}`, user, authority.account, permissionsOf(zone), now, validFor);
  const before = revoke(authority, zone, now);
  return { creds, authority: { ...before, issued: { ...before.issued, [zone]: { user: user.getPublicKey(), since: now } } } };
}

/**
 * Revokes a credential, if there is one. It counts once the server was told. `now`: seconds. A server revokes
 * credentials that were made until then, so the time is never before the credential was made, even if the clock was set
 * back.
 */
export function revoke(authority: Authority, zone: string, now: number): Authority {
  if (!hasCredential(authority, zone)) return authority;
  const { [zone]: old, ...issued } = authority.issued;
  return old ? { ...authority, issued, revoked: { ...authority.revoked, [old.user]: Math.max(now, old.since + 1) } } : authority;
}

/** Whether one was given out that still counts. Zones may be called as what every object has. */
export function hasCredential({ issued }: Authority, zone: string): boolean {
  return Object.hasOwn(issued, zone);
}

/** A short-lived credential for the message that tells a server what is revoked. */
export function operatorCreds(authority: Authority, now: number): Promise<string> {
  return credsOf('meridian-operator', createUser(), authority.system, OPERATOR, now, 60);
}

async function credsOf(
  name: string,
  user: KeyPair,
  account: string,
  allowed: SubjectPermissions,
  now: number,
  validFor?: number,
): Promise<string> {
  const jwt = await encodeUser(
    name,
    user,
    pairOf(account),
    { ...allowed, subs: 8, data: -1, payload: -1 },
    validFor === undefined ? {} : { exp: now + validFor },
  );
  return new TextDecoder().decode(fmtCreds(jwt, user));
}

/** What a server must know: JWTs, none of them a secret. */
export interface Claims {
  readonly operator: string;
  readonly systemKey: string;
  readonly system: string;
  readonly accountKey: string;
  readonly account: string;
}

/**
 * The account may do nothing but publish and subscribe: no JetStream, no leaf nodes, no traffic with other accounts.
 */
export async function claimsOf(authority: Authority): Promise<Claims> {
  const signer = pairOf(authority.operator);
  const system = pairOf(authority.system);
  const account = pairOf(authority.account);
  const limits = { conn: -1, subs: -1, data: -1, payload: -1, exports: 0, imports: 0, leaf: 0, mem_storage: 0, disk_storage: 0 };
  const { revoked: revocations } = authority;
  return {
    operator: await encodeOperator('meridian', signer, { system_account: system.getPublicKey() }),
    systemKey: system.getPublicKey(),
    system: await encodeAccount('meridian-system', system, { limits: { ...limits, exports: -1 } }, { signer }),
    accountKey: account.getPublicKey(),
    account: await encodeAccount('meridian', account, { limits, revocations, default_permissions: NOTHING }, { signer }),
  };
}

function pairOf(seed: string): KeyPair {
  return fromSeed(new TextEncoder().encode(seed));
}
