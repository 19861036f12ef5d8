import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { plaintextOn } from '../../policy/mesh-tls.ts';
import type { MeshView } from '../mesh/mesh-view.ts';
import { plaintextAt } from '../mesh/plaintext-notes.ts';
import { listening } from './inbound-pairs.ts';

/**
 * Inbounds that take plain text after a change and did not before, or the other way round: clients without a
 * certificate get in, or no longer.
 */
export interface PlaintextChange {
  readonly taken: boolean;
  readonly inbounds: readonly PlaintextPort[];
}

interface PlaintextPort {
  readonly dataplane: Resource;
  readonly section: string;
}

/**
 * Finds them. No permission is asked about plain text, so that only MeshTLS, the Mesh, and what they select count. One
 * that is new took none before. A step for each port.
 *
 *   MeshTLS for the mesh: Strict -> Permissive  ->  [{taken: true, inbounds: all}]
 */
export function* plaintextChanges(before: MeshView, after: MeshView): Parts<PlaintextChange[]> {
  if (![before, after].some(mayTake)) return [];
  const [was, is] = [yield* takenIn(before), yield* takenIn(after)];
  const opened = [...is].flatMap(([id, { taken, place }]) => (taken && !was.get(id)?.taken ? [place] : []));
  const closed = [...was].flatMap(([id, { taken, place }]) => (taken && !is.get(id)?.taken ? [place] : []));
  return [
    { taken: true, inbounds: opened },
    { taken: false, inbounds: closed },
  ].filter(({ inbounds }) => inbounds.length > 0);
}

function mayTake({ tls }: MeshView): boolean {
  return tls.policies.length > 0 || plaintextOn([], tls.mesh).taken;
}

function* takenIn(view: MeshView): Parts<Map<string, { readonly taken: boolean; readonly place: PlaintextPort }>> {
  const found = new Map<string, { readonly taken: boolean; readonly place: PlaintextPort }>();
  for (const { id, proxy, inbound, section } of listening(view)) {
    const { taken } = plaintextAt(view, proxy, inbound);
    found.set(id, { taken, place: { dataplane: proxy.dataplane, section } });
    yield;
  }
  return found;
}
