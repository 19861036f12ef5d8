import { provesCallers, readListener } from '../../policy/gateway/read-listener.ts';
import { type MeshTrusts, trustedDomains, whyUntrusted } from '../../policy/gateway/trusted-domains.ts';
import { readRequest, type Request } from '../../policy/decide/read-request.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { readable } from '../../resource/readable-text.ts';
import type { Resource } from '../../resource/resource.ts';

/** Whom the rules of a gateway's listener see: callers without an identity, or those of trusted domains alone. */
export type GatewayEntry = { readonly identities: 'none' } | { readonly identities: 'trusted'; readonly trusts: MeshTrusts };

/** undefined: it is no listener of a gateway, or is not served. */
export function entryAt({ dataplane }: Proxy, { listener }: Inbound, trusts: readonly Resource[]): GatewayEntry | undefined {
  const read = listener && readListener(listener);
  if (!read || 'problem' in read) return undefined;
  const { mesh, zone } = dataplane.key;
  return provesCallers(read) ? { identities: 'trusted', trusts: trustedDomains(mesh, zone, trusts) } : { identities: 'none' };
}

/** A request as the rules there see it. */
export function asSeen(entry: GatewayEntry | undefined, request: Request): Request {
  return entry?.identities === 'none' ? { spiffeIds: [], method: request.method, path: request.path } : request;
}

/** Why a caller does not get as far as the rules; undefined: it does. `mesh`: of a client that names none. */
export function untrustedAt(entry: GatewayEntry | undefined, request: Request, mesh = ''): string | undefined {
  if (entry?.identities !== 'trusted') return undefined;
  const { sans } = readRequest(request, 'http', mesh);
  // Of a client that is known by its tags; a control plane writes its SPIFFE ID first.
  const inOrder = 'tags' in request ? [...sans].sort((a, b) => Number(b.startsWith('spiffe:')) - Number(a.startsWith('spiffe:'))) : sans;
  return whyUntrusted(entry.trusts.domains, inOrder);
}

/** What there is to know of who can be told apart at a listener. */
export function entryNotes(proxy: Proxy, inbound: Inbound, trusts: readonly Resource[]): string[] {
  const entry = entryAt(proxy, inbound, trusts);
  const where = `listener ${readable(sectionOf(inbound))}`;
  switch (entry?.identities) {
    case undefined:
      return [];
    case 'none':
      return [
        `${where}: callers show no certificate, so that no permission lets them in: a MeshTLS on its MeshGateway with \`mode: Permissive\` lets in everybody`,
      ];
    case 'trusted':
      return entry.trusts.problems.map((problem) => `${where}: ${problem}`);
  }
}
