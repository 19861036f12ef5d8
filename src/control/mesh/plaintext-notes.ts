import { provesCallers, readListener } from '../../policy/gateway/read-listener.ts';
import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { matchInbound, type SelectingPolicy } from '../../policy/match/select-policies.ts';
import { type Plaintext, plaintextOn, STRICT } from '../../policy/mesh-tls.ts';
import type { MeshView } from './mesh-view.ts';

const REFUSED: Plaintext = {
  taken: false,
  warnings: ['a MeshTLS or the Mesh was refused here: until that is put right, plain text is not taken'],
};

/** Whether an inbound takes plain text, as this control plane holds the mesh. What was refused might forbid it. */
export function plaintextAt({ tls, index }: MeshView, proxy: Proxy, inbound: Inbound): Plaintext {
  const matches = matchInbound(tls.policies, proxy, inbound, index);
  const plaintext = proxy.type === 'Gateway' ? atListener(inbound, matches) : plaintextOn(matches, tls.mesh);
  return tls.refused && plaintext.taken ? REFUSED : plaintext;
}

/**
 * A listener of a gateway that proves no callers lets everybody in where a MeshTLS on its MeshGateway says so by that
 * name: what is said of the whole mesh is said of its members.
 */
function atListener({ listener }: Inbound, matches: readonly SelectingPolicy[]): Plaintext {
  const read = listener && readListener(listener);
  if (!read || 'problem' in read || provesCallers(read)) return STRICT;
  return plaintextOn(
    matches.filter(({ policy }) => policy.explicit?.kind === 'MeshGateway'),
    undefined,
  );
}

/** What there is to know of a proxy's inbounds: those that take plain text, and those that might be expected to. */
export function plaintextNotes(view: MeshView, proxy: Proxy): string[] {
  return proxy.inbounds.flatMap((inbound) =>
    plaintextAt(view, proxy, inbound).warnings.map((text) => `inbound ${sectionOf(inbound)}: ${text}`),
  );
}
