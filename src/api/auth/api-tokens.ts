import { LRUCache } from 'lru-cache';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { MeridianError } from '../../errors.ts';
import type { Plane } from '../../control/plane/plane.ts';
import type { ApiOptions } from '../api-options.ts';
import { TokenEndings } from './token-endings.ts';
import type { Grant } from './grant.ts';
import type { TokenEnd, Principal } from './principal.ts';
import { type TokenRecords, keptIn, type StoredKey, type TokenRecord } from './token-records.ts';

/** A token as it is handed out, once. */
export interface IssuedApiToken extends TokenRecord {
  readonly token: string;
}

/** What somebody orders. `validFor`: seconds. */
export interface TokenOrder extends Grant {
  readonly name: string;
  readonly validFor: number;
  readonly issuedBy: string;
}

/** Pinned: the algorithm that a token names is ignored. */
const ALGORITHM = 'EdDSA';
const TYPE = 'JWT';
const AUDIENCE = 'meridian-api';
const MOST_TOKENS = 10_000;
const MOST_PROVEN = 1_000;

/**
 * The tokens of one control plane: JWTs that hold here alone (their issuer is this very store), until they expire or
 * are revoked. A token counts only while its record is here: a signature alone is not enough. `now`: milliseconds
 * since 1970.
 */
export class Tokens {
  private readonly now: () => number;

  private readonly kept: ReturnType<typeof keptIn>;
  private readonly issuer: string;
  private readonly endings = new TokenEndings();
  /** The ids of tokens whose signature was right, by their SHA-256. */
  private readonly proven = new LRUCache<string, string>({ max: MOST_PROVEN });

  constructor({ store, place }: Plane, writes: ApiOptions['writes'], now: () => number) {
    this.now = now;
    this.kept = keptIn(store, writes);
    this.issuer = `meridian/${place.zone || 'global'}/${store.head().store}`;
  }

  /** Makes a token. Throws `conflict` when there are 10,000 that hold. */
  async issue({ name, role, zone, validFor, issuedBy }: TokenOrder): Promise<IssuedApiToken> {
    const { kid, jwk } = await this.signingKey();
    const issued = this.seconds();
    const record = { id: randomHex(), name, role, zone, kid, issued, expires: issued + validFor, issuedBy };
    const token = await new SignJWT({ role, ...(zone === undefined ? {} : { zone }) })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
      .setIssuer(this.issuer)
      .setAudience(AUDIENCE)
      .setSubject(name)
      .setJti(record.id)
      .setIssuedAt(issued)
      .setNotBefore(issued)
      .setExpirationTime(record.expires)
      .sign(privateKeyOf(jwk));
    await this.kept.change((kept) => this.with(kept, record));
    return { ...record, token };
  }

  /** Those that have not expired, the oldest first; revoked ones among them. */
  list(): TokenRecord[] {
    return [...this.kept.read().tokens.values()].filter(({ expires }) => expires > this.seconds());
  }

  /** From now on it is refused, and what it opened ends. Throws `not_found`. */
  async revoke(id: string): Promise<TokenRecord> {
    const record = this.kept.read().tokens.get(id);
    if (!record) throw new MeridianError('not_found', 'there is no token with this ID', { hint: 'see `meridianctl token list`' });
    if (record.revoked !== undefined) return record;
    const revoked = { ...record, revoked: this.seconds() };
    // A new key may have ended it meanwhile.
    await this.kept.change((kept) => (kept.tokens.has(id) ? { ...kept, tokens: new Map(kept.tokens).set(id, revoked) } : kept));
    this.endings.end(id, 'revoked');
    return revoked;
  }

  /**
   * Another key signs from now on. `revoke`: nothing that was signed before holds any more; else it holds until it
   * expires. Gives the new key's id.
   */
  async rotate(revoke: boolean): Promise<string> {
    const key = newKey(this.seconds());
    let ended: readonly string[] = [];
    await this.kept.change((kept) => {
      if (!revoke) return { ...kept, keys: [key, ...usedKeys(kept)] };
      ended = [...kept.tokens.keys()];
      return { keys: [key], tokens: new Map() };
    });
    for (const id of ended) this.endings.end(id, 'revoked');
    return key.kid;
  }

  /**
   * Who a token is of that was verified before; undefined: it was not. Throws `unauthorized` when it has ended since.
   */
  known(token: string): Principal | undefined {
    const id = this.proven.get(hashOf(token));
    return id === undefined ? undefined : this.principal(id);
  }

  /** Who a token is of. Throws `unauthorized`. */
  async verify(token: string): Promise<Principal> {
    const { jti = '' } = await this.payloadOf(token);
    const principal = this.principal(jti);
    this.proven.set(hashOf(token), jti);
    return principal;
  }

  /** Calls `ended` once, when the token is revoked or expires. The result takes that back. */
  onEnd(id: string, ended: (why: TokenEnd) => void): () => void {
    const record = this.kept.read().tokens.get(id);
    const left = record && record.revoked === undefined ? record.expires * 1000 - this.now() : 0;
    return this.endings.onEnd(id, left, ended);
  }

  /**
   * One answer for every wrong signature, so that guessing teaches nothing. For a token that we signed, the reason why
   * it no longer counts.
   */
  private async payloadOf(token: string): Promise<{ jti?: string }> {
    try {
      const options = { algorithms: [ALGORITHM], typ: TYPE, issuer: this.issuer, audience: AUDIENCE, currentDate: new Date(this.now()) };
      const requiredClaims = ['sub', 'jti', 'exp', 'nbf', 'role'];
      const { payload } = await jwtVerify(token, ({ kid }) => this.verifyingKey(kid), { ...options, requiredClaims });
      return payload;
    } catch (cause) {
      const expired = cause instanceof Error && 'code' in cause && cause.code === 'ERR_JWT_EXPIRED';
      throw expired
        ? refusal('has expired')
        : new MeridianError('unauthorized', 'the token is not one of this control plane', { cause, hint: ASK });
    }
  }

  private principal(id: string): Principal {
    const record = this.kept.read().tokens.get(id);
    // Of a key that was taken away, or it was issued after the backup that this store was restored from.
    if (!record) throw refusal('is not known any more');
    if (record.revoked !== undefined) throw refusal('is revoked');
    if (record.expires <= this.seconds()) throw refusal('has expired');
    return { name: record.name, role: record.role, zone: record.zone, source: 'token', tokenId: id };
  }

  private verifyingKey(kid: unknown): KeyObject {
    const key = this.kept.read().keys.find((one) => one.kid === kid);
    if (!key) throw new MeridianError('unauthorized', 'the key is not known');
    return createPublicKey(privateKeyOf(key.jwk));
  }

  private async signingKey(): Promise<StoredKey> {
    if (this.kept.read().keys.length === 0) {
      await this.kept.change((kept) => (kept.keys.length > 0 ? kept : { ...kept, keys: [newKey(this.seconds())] }));
    }
    const [key] = this.kept.read().keys;
    if (key) return key;
    throw new MeridianError('internal', 'there is no key to sign tokens with');
  }

  /** With what has expired left out, so that it does not grow. */
  private with(kept: TokenRecords, record: TokenRecord): TokenRecords {
    const holding = [...kept.tokens].filter(([, { expires }]) => expires > this.seconds());
    if (holding.length >= MOST_TOKENS) {
      throw new MeridianError('conflict', `there are ${MOST_TOKENS} tokens`, {
        hint: 'wait until some expire, or give new ones less time',
      });
    }
    return { ...kept, tokens: new Map([...holding, [record.id, record]]) };
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000);
  }
}

const ASK = 'an admin issues one with `meridianctl token issue`';

function refusal(why: string): MeridianError {
  return new MeridianError('unauthorized', `the token ${why}`, { hint: ASK });
}

/** Keys that signed a token that is still here. */
function usedKeys({ keys, tokens }: TokenRecords): StoredKey[] {
  const used = new Set([...tokens.values()].map(({ kid }) => kid));
  return keys.filter(({ kid }) => used.has(kid));
}

function newKey(created: number): StoredKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { kid: randomHex(), created, jwk: privateKey.export({ format: 'jwk' }) as Record<string, unknown> };
}

function privateKeyOf(jwk: StoredKey['jwk']): KeyObject {
  return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}

function randomHex(): string {
  return randomBytes(12).toString('hex');
}
