import { invalid } from '../../../src/errors.ts';
import { kindOf } from '../../../src/resource/kinds.ts';
import { restName } from '../../../src/resource/rest-name.ts';
import { placeOf } from '../api/server-place.ts';
import type { Server } from '../api/server-address.ts';
import type { NamedResource } from '../input/resource-names.ts';
import { readSome } from './locate-document.ts';

/**
 * The resources that documents of files describe, the last document first and meshes behind all others: the order in
 * which they can be deleted. Throws `invalid` for a document that names no resource.
 */
export async function namedInFiles(server: Server, paths: readonly string[]): Promise<NamedResource[]> {
  const [{ parseDocument }, documents, place] = await Promise.all([
    import('../../../src/resource/documents/parse-documents.ts'),
    readSome(paths),
    placeOf(server),
  ]);
  const named = documents.map(({ where, value }): NamedResource => {
    const { draft, problems } = parseDocument(value);
    if (!draft) throw invalid(problems.map(({ field, reason }) => ({ field: `${where}: ${field}`, reason })));
    const { type, mesh, name, namespace = place.systemNamespace } = draft;
    const key = { type, mesh, zone: place.zone, namespace, name };
    return { kind: kindOf(type), mesh, name: restName({ key, name, namespace }, place) };
  });
  return named.toReversed().toSorted((a, b) => Number(a.kind.type === 'Mesh') - Number(b.kind.type === 'Mesh'));
}
