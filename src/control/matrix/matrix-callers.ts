import { readPermissions } from '../../policy/decide/read-permissions.ts';
import { compareText, keyId } from '../../resource/key.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { type NamedCallers, namedBy } from '../impact/caller-names.ts';
import { sansShown } from '../impact/caller-sets.ts';
import type { MeshView } from '../mesh/mesh-view.ts';

/** Which callers a matrix has. `named`: by permissions; `spiffeId`, `tags`: proxies by that certificate. */
export const CALLERS_BY = ['all', 'named', 'spiffeId', 'tags'] as const;
export type CallersBy = (typeof CALLERS_BY)[number];

/** A row of a matrix. */
export interface MatrixCaller {
  /** As permissions name them (NamedCallers); proxies that show one certificate; whoever shows none. */
  readonly kind: NamedCallers['kind'] | 'dataplanes' | 'plaintext';
  /** What it is called: a SPIFFE ID, SANs, a Dataplane; '' where the kind says all. */
  readonly name: string;
  /** The URI SANs of one of them: what is decided about it holds for all. */
  readonly sans: readonly string[];
  /** Of the kind `dataplanes` alone. */
  readonly dataplanes: readonly Resource[];
}

/** The rows of a mesh: who is named by permissions, everybody else, nobody, then its proxies. `all` has no tags. */
export function* callersOf(view: MeshView, by: CallersBy): Parts<MatrixCaller[]> {
  const named = by === 'all' || by === 'named' ? yield* namedCallers(view) : [];
  const proxies = by === 'named' ? [] : yield* proxyCallers(view, by === 'tags' ? 'tags' : 'spiffeId');
  return [...named, ...proxies];
}

const NO_CERTIFICATE: MatrixCaller = { kind: 'plaintext', name: '', sans: [], dataplanes: [] };

function* namedCallers(view: MeshView): Parts<MatrixCaller[]> {
  const permissions = readPermissions(view.permissions.map((policy) => ({ policy })));
  yield;
  const named = namedBy(permissions);
  yield;
  const rows = named.map(({ kind, spiffeId, sans, sample }) => ({ kind, name: spiffeId || sans.join(' '), sans: sample, dataplanes: [] }));
  const [others, known] = [rows.filter(({ kind }) => kind === 'other'), rows.filter(({ kind }) => kind !== 'other')];
  return [...byName(known), ...others, NO_CERTIFICATE];
}

/** Those that show the same certificate are one. */
function* proxyCallers(view: MeshView, by: 'spiffeId' | 'tags'): Parts<MatrixCaller[]> {
  const sets = new Map<string, MatrixCaller & { dataplanes: Resource[] }>();
  for (const dataplane of view.dataplanes) {
    const sans = sansShown(dataplane, by);
    // Without a URI SAN it has no identity to be known by.
    const [first] = sans;
    if (first === undefined) continue;
    const id = sans.join(' ');
    const known = sets.get(id);
    if (known) known.dataplanes.push(dataplane);
    else sets.set(id, { kind: 'dataplanes', name: by === 'tags' ? keyId(dataplane.key) : first, sans, dataplanes: [dataplane] });
    yield;
  }
  return byName([...sets.values()]);
}

function byName(rows: readonly MatrixCaller[]): MatrixCaller[] {
  return rows.toSorted((a, b) => compareText(a.name, b.name));
}
