import { randomBytes } from 'node:crypto';
import { trustDomainOf } from '../policy/callers/caller-identity.ts';
import { spiffeIdOf } from '../control/enforce/spiffe-id.ts';
import type { Plane } from '../control/plane/plane.ts';
import { type Authenticate, authenticator, type Caller, listenerAuthenticator } from '../xds/server/authenticate-caller.ts';
import type { ZoneAsk } from '../xds/envoy/inbound-input.ts';
import { listenerProof } from '../xds/server/listener-proof.ts';
import { nodeId, type ProxyId } from '../xds/server/proxy-id.ts';
import { issueToken } from '../xds/server/proxy-token.ts';
import type { Xds } from '../xds/server/xds-server.ts';

const SECRET = 'proxy token secret';

/** What the API gives to a proxy's operator. `expires` is RFC 3339. */
interface IssuedToken {
  readonly token: string;
  readonly nodeId: string;
  readonly expires: string;
}

/**
 * Who a caller of the xDS server is: by a token of this zone, or by the SPIFFE ID of its Dataplane. `now`: seconds
 * since 1970. The secret is read each time: it may be another.
 */
export function authenticateProxies(plane: Plane, now: () => number): Authenticate {
  const idOf = ({ mesh, name }: ProxyId) => spiffeIdOf(plane, mesh, name);
  return (caller) => authenticator(secretOf(plane), now, idOf)(caller);
}

/** The same of a proxy that asks about a call. */
export function authenticateListeners(plane: Plane, now: () => number): (caller: Caller) => ProxyId | undefined {
  const idOf = ({ mesh, name }: ProxyId) => spiffeIdOf(plane, mesh, name);
  return (caller) => listenerAuthenticator(secretOf(plane), now, idOf)(caller);
}

/** As whom a proxy's listeners ask about calls, until all tokens are revoked. */
export function askOf(plane: Plane, proxy: ProxyId): ZoneAsk {
  const home = trustDomainOf(proxy.mesh, plane.place.zone);
  return { node: nodeId(proxy), proof: listenerProof(secretOf(plane), proxy), home };
}

/** Makes a token that is valid for `validFor` seconds from `now` (seconds since 1970). */
export function issueProxyToken(plane: Plane, now: number, proxy: ProxyId, validFor: number): IssuedToken {
  const expires = Math.floor(now) + validFor;
  return { token: issueToken(secretOf(plane), proxy, expires), nodeId: nodeId(proxy), expires: new Date(expires * 1000).toISOString() };
}

/** Revokes all tokens that were made before. Each connected proxy is judged anew. */
export function revokeProxyTokens(plane: Plane, xds: Pick<Xds, 'connected' | 'changed'>): void {
  newSecret(plane);
  for (const proxy of xds.connected()) xds.changed(proxy);
}

/** What tokens are signed with, made when it is first needed. */
function secretOf(plane: Plane): Uint8Array {
  const known = plane.store.setting(SECRET);
  return known === undefined ? newSecret(plane) : Buffer.from(known, 'hex');
}

function newSecret({ store }: Plane): Uint8Array {
  const secret = randomBytes(32);
  store.commit((tx) => tx.setSetting(SECRET, secret.toString('hex')));
  return secret;
}
