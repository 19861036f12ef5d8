import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { MeridianError } from '../../errors.ts';

/**
 * What somebody may do, from most to least. A zone operator acts for one zone; read-only sees everything but secrets.
 */
export const ROLES = ['admin', 'zone-operator', 'read-only'] as const;

export type ApiRole = (typeof ROLES)[number];

/**
 * What a route asks for (rights.ts): `anyone` nothing, `read` a principal, `operate` an admin or the operator of this
 * very zone, `admin` an admin.
 */
export type Right = 'anyone' | 'read' | 'operate' | 'admin';

/** Who asks. */
export interface Principal {
  /** A token's subject; `loopback` for whoever asks from this machine without one. */
  readonly name: string;
  readonly role: ApiRole;
  /** Of a zone operator alone. */
  readonly zone?: string | undefined;
  readonly source: 'loopback' | 'token';
  /** The token's id (never the token); undefined on loopback. */
  readonly tokenId?: string | undefined;
}

/** Why a principal is one no more. */
export type TokenEnd = 'revoked' | 'expired';

/** Judges who asks, also where Fastify's hooks don't run: at the upgrade to a WebSocket. It is `app.gate`. */
export interface Gate {
  /**
   * Who asks, by the socket and the headers alone: Host, Origin and forwarding headers, the token, its role against
   * `right`, and how often. undefined only where the right is `anyone`. Throws `unauthorized`, `forbidden` or
   * `rate_limited`.
   */
  admit(request: IncomingMessage, right: Right): Promise<Principal | undefined>;
  /**
   * Calls `ended` once, when the principal's token is revoked or expires; for one without a token never. The result
   * takes that back.
   */
  onEnd(principal: Principal, ended: (why: TokenEnd) => void): () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** undefined: the request was refused before it was known who asks, or the route is for anyone. */
    principal: Principal | undefined;
  }
  interface FastifyInstance {
    gate: Gate;
  }
}

/** Who asks, in a route: the guard let nobody else through. */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal) return principal;
  throw new MeridianError('internal', 'a route runs for nobody');
}
