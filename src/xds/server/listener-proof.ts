import { createHmac, timingSafeEqual } from 'node:crypto';
import { nodeId, type ProxyId } from './proxy-id.ts';

/** So that the zone's secret signs nothing else with the same bytes. */
const PURPOSE = 'meridian listener proof 1';

/**
 * What the zone puts into the listeners of a proxy, with which they prove whose they are when they ask about calls. It
 * is no token: it opens no stream, and ends with the secret alone.
 */
export function listenerProof(secret: Uint8Array, proxy: ProxyId): string {
  return createHmac('sha256', secret).update(PURPOSE).update('\0').update(nodeId(proxy)).digest('base64url');
}

export function isListenerProof(secret: Uint8Array, proxy: ProxyId, given: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(listenerProof(secret, proxy))];
  return a.length === b.length && timingSafeEqual(a, b);
}
