import type { IncomingMessage } from 'node:http';
import type { Report } from '../../report.ts';
import { MeridianError } from '../../errors.ts';
import type { Place } from '../../resource/resource.ts';
import { isLoopback } from '../../resource/ip-address.ts';
import { addressKey, isForwarded } from './client-address.ts';
import { Buckets } from './rate-bucket.ts';
import type { RefillRate } from '../../control/plane/refill-level.ts';
import type { Gate, Principal } from './principal.ts';
import { requireRight } from './rights.ts';
import { requireOwnSite } from './same-site.ts';
import type { Tokens } from './api-tokens.ts';

/** What the gate goes by. */
export interface GateOptions {
  readonly tokens: Tokens;
  readonly place: Place;
  /** What this control plane is called, besides localhost and its IP addresses. */
  readonly names: readonly string[];
  /** Whether who connects from this machine without a token is an admin. */
  readonly loopbackAdmin: boolean;
  readonly report: Report;
  /** Milliseconds, monotonic. */
  readonly monotonic: () => number;
}

/** Of one token, or of one address without any. */
const REQUESTS: RefillRate = { perSecond: 500, burst: 1000 };
/** Wrong tokens of one address. */
const FAILURES: RefillRate = { perSecond: 1 / 3, burst: 20 };

const LOOPBACK: Principal = { name: 'loopback', role: 'admin', source: 'loopback' };

/**
 * Who may ask (docs/design/interfaces.md#rest: loopback counts as admin, anything else needs a token).
 *
 *   a token, from anywhere               -> whoever it is of; a wrong one is 401, from this machine too
 *   none, from this machine, not forwarded -> admin
 *   none                                  -> 401, but for what anyone may ask
 */
export function createGate({ tokens, place, names, loopbackAdmin, report, monotonic }: GateOptions): Gate {
  const requests = new Buckets(REQUESTS, monotonic);
  const failures = new Buckets(FAILURES, monotonic);
  const looks = new Map<string, Promise<Principal>>();

  async function principalOf(request: IncomingMessage): Promise<Principal | undefined> {
    const token = bearerOf(request);
    if (token !== undefined) return tokens.known(token) ?? (await tried(request, token));
    return loopbackAdmin && isLoopback(request.socket.remoteAddress ?? '') && !isForwarded(request.headers) ? LOOPBACK : undefined;
  }

  /** One look for all who show the same token at the same time: after a restart nobody's was seen yet. */
  function tried(request: IncomingMessage, token: string): Promise<Principal> {
    const look = looks.get(token) ?? lookAt(addressKey(request), token).finally(() => looks.delete(token));
    looks.set(token, look);
    return look;
  }

  /**
   * Whoever guesses is stopped before the signature is looked at; tokens that were right before are not, wherever they
   * come from.
   */
  async function lookAt(address: string, token: string): Promise<Principal> {
    requireLeft(failures.take(address), 'too many wrong tokens came from this address');
    try {
      const principal = await tokens.verify(token);
      failures.giveBack(address);
      return principal;
    } catch (thrown) {
      report('warn', 'a token was refused', { address, reason: thrown instanceof Error ? thrown.message : String(thrown) });
      throw thrown;
    }
  }

  return {
    async admit(request, right) {
      requireOwnSite(request, names);
      const principal = await principalOf(request);
      if (principal !== LOOPBACK) requireLeft(requests.take(principal?.tokenId ?? addressKey(request)), 'too many requests');
      if (principal) requireRight(principal, right, place);
      else if (right !== 'anyone') throw nobody(request, loopbackAdmin);
      return principal;
    },
    onEnd: ({ tokenId }, ended) => (tokenId === undefined ? () => {} : tokens.onEnd(tokenId, ended)),
  };
}

/**
 * The one token of the Authorization header; undefined: there is no such header. A token in the URL does not count:
 * logs keep URLs.
 */
function bearerOf({ rawHeaders, headers: { authorization = '' } }: IncomingMessage): string | undefined {
  const given = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  if (given.length === 0) return undefined;
  const [, token] = /^Bearer +([\w~+/.=-]{1,8192})$/i.exec(authorization) ?? [];
  if (given.length === 1 && token !== undefined) return token;
  throw new MeridianError('unauthorized', 'the Authorization header must be there once, as `Bearer TOKEN`');
}

function requireLeft(wait: number, what: string): void {
  if (wait > 0) throw new MeridianError('rate_limited', what, { hint: `try again in ${wait} s`, retryAfter: wait });
}

function nobody({ headers, socket }: IncomingMessage, loopbackAdmin: boolean): MeridianError {
  const proxied = loopbackAdmin && isLoopback(socket.remoteAddress ?? '') && isForwarded(headers);
  const why = proxied ? 'the request was forwarded, so it is nobody of this machine' : 'this needs a token';
  return new MeridianError('unauthorized', why, {
    hint: 'send one as `Authorization: Bearer TOKEN`; an admin issues it with `meridianctl token issue`',
  });
}
