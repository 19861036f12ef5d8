import { sectionOf } from '../../policy/inspect/proxy-layout.ts';
import type { Inbound, Proxy } from '../../policy/match/read-proxy.ts';
import { matchInbound } from '../../policy/match/select-policies.ts';
import { type Plaintext, plaintextOn, STRICT } from '../../policy/mesh-tls.ts';
import type { MeshView } from './mesh-view.ts';

const REFUSED: Plaintext = {
  taken: false,
  warnings: ['a MeshTLS or the Mesh was refused here: until that is put right, plain text is not taken'],
};

/**
 * Whether an inbound takes plain text, as this control plane holds the mesh. What was refused might forbid it. At a
 * gateway a listener's own protocol says how callers come in, and its rules are asked about all of them.
 */
export function plaintextAt({ tls, index }: MeshView, proxy: Proxy, inbound: Inbound): Plaintext {
  if (proxy.type === 'Gateway') return STRICT;
  const plaintext = plaintextOn(matchInbound(tls.policies, proxy, inbound, index), tls.mesh);
  return tls.refused && plaintext.taken ? REFUSED : plaintext;
}

/** What there is to know of a proxy's inbounds: those that take plain text, and those that might be expected to. */
export function plaintextNotes(view: MeshView, proxy: Proxy): string[] {
  return proxy.inbounds.flatMap((inbound) =>
    plaintextAt(view, proxy, inbound).warnings.map((text) => `inbound ${sectionOf(inbound)}: ${text}`),
  );
}
