import { ledger, type LedgerEntry } from '../../src/control/operate/ledger.ts';
import { type Dangling, danglingReferences } from '../../src/control/write/dangling-references.ts';
import { formatKri, sameKey } from '../../src/resource/key.ts';
import { KINDS } from '../../src/resource/kinds.ts';
import { toKubernetes, toUniversal } from '../../src/resource/documents/render-forms.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';
import type { Row } from '../../src/resource/store/store.ts';
import type { Node } from '../simulator/node.ts';
import { forgeriesOf } from './forge.ts';
import type { Scenario } from './scenario.ts';

/** Everything that a control plane holds, but for what it forged. */
export function rowsAt(node: Node): Row[] {
  const forged = forgeriesOf(node);
  return allRows(node).filter(({ resource }) => !forged.some((key) => sameKey(key, resource.key)));
}

function allRows(node: Node): Row[] {
  return KINDS.flatMap(({ type }) => [...node.plane.store.each(type)]);
}

/** What a control plane holds, in the format of its place and without times. */
export function documentsAt(node: Node, { show }: Scenario): JsonObject[] {
  const hidden = ({ key }: Resource) =>
    (key.type === 'Mesh' && key.name === 'default' && !show.includes('Mesh')) || (key.type === 'Zone' && !show.includes('Zone'));
  return rowsAt(node)
    .filter(({ resource }) => !hidden(resource))
    .map(({ resource }) => withoutTimes(node, resource));
}

function withoutTimes({ place }: Node, resource: Resource): JsonObject {
  if (place.environment === 'universal') {
    const { creationTime: _created, modificationTime: _modified, ...document } = toUniversal(resource, place);
    return document;
  }
  const document = toKubernetes(resource, place);
  const { creationTimestamp: _created, ...metadata } = document.metadata as JsonObject;
  return { ...document, metadata };
}

/** References that lead to nothing at a control plane, by resource. */
export function danglingAt(node: Node): (Dangling & { resource: string })[] {
  return rowsAt(node).flatMap(({ resource }) =>
    danglingReferences(node.plane, resource).map((dangling) => ({ resource: formatKri(resource.key), ...dangling })),
  );
}

/** The delivery ledger of a control plane for all of its rows, forged ones included: the peers judge those too. */
export function ledgerAt(node: Node): readonly LedgerEntry[] {
  return ledger(node.plane, allRows(node), (peer) => {
    const view = node.view(peer);
    if (!view) throw new Error(`${node.name} does not run`);
    return view;
  });
}
