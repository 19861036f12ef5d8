import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProxyId } from './proxy-id.ts';

/** So that the zone's secret signs nothing else with the same bytes. */
const PURPOSE = 'meridian proxy token 1';

/**
 * A proxy's proof of who it is: `<what it says>.<HMAC>`, both base64url. In: the zone's secret (32 bytes or more), the
 * proxy, and when the token ends, in seconds since 1970.
 */
export function issueToken(secret: Uint8Array, { mesh, name }: ProxyId, expires: number): string {
  const body = Buffer.from(JSON.stringify([mesh, name, expires])).toString('base64url');
  return `${body}.${sign(secret, body).toString('base64url')}`;
}

/** What a token says. */
export interface ProxyClaims extends ProxyId {
  /** Seconds since 1970. */
  readonly expires: number;
}

/** What a token says; undefined: it is not of this secret, or has ended at `now` (seconds since 1970). */
export function verifyToken(secret: Uint8Array, token: string, now: number): ProxyClaims | undefined {
  const [body = '', mac = '', ...rest] = token.split('.');
  const given = Buffer.from(mac, 'base64url');
  const right = sign(secret, body);
  if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  // Only what this zone signed gets here.
  const [mesh, name, expires] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, string, number];
  return now < expires ? { mesh, name, expires } : undefined;
}

function sign(secret: Uint8Array, body: string): Buffer {
  return createHmac('sha256', secret).update(PURPOSE).update('\0').update(body).digest();
}
