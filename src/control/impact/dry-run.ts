import { hasFirstScan } from '../peers/first-scan-state.ts';
import { mayDecide, type MeshView, readMeshView } from '../mesh/mesh-view.ts';
import { isGlobal, type Plane } from '../plane/plane.ts';
import { crowdedBy } from '../mesh/too-many-rules.ts';
import type { AppliedSet } from '../write/applied-sets.ts';
import { warningsAbout } from '../write/write-warnings.ts';
import { type Document, dryRunDocuments, type Written } from '../write/write-documents.ts';
import { keyId } from '../../resource/key.ts';
import { type Impact, impactOf } from './mesh-impact.ts';

/** What documents would do: to resources, and to the decisions of the proxies that are known here. */
export interface DryRun {
  readonly written: readonly Written[];
  /** Of each of them. */
  readonly warnings: readonly (readonly string[])[];
  readonly impacts: readonly MeshImpact[];
}

export interface MeshImpact extends Impact {
  readonly mesh: string;
}

/**
 * Says what `writeDocuments` would do, and whose verdicts would change; errors as there. A zone that denies everything,
 * for it has never had a complete scan of its global, changes none.
 */
export function dryRun(plane: Plane, documents: readonly Document[], set: AppliedSet | undefined, hasGlobal: boolean): DryRun {
  let warnings: DryRun['warnings'] = [];
  const written = dryRunDocuments(plane, documents, set, (store, done) => {
    warnings = warningsAbout(
      { place: plane.place, store },
      done.map(({ key }) => key),
    );
  });
  const meshes = isClosed(plane, hasGlobal) ? [] : touchedMeshes(written);
  if (meshes.length === 0) return { written, warnings, impacts: [] };
  const before = new Map(meshes.map((mesh): [string, MeshView] => [mesh, readMeshView(plane, mesh)]));
  const impacts: MeshImpact[] = [];
  // While it is there: names are looked up when policies are matched.
  dryRunDocuments(plane, documents, set, (store) => {
    for (const [mesh, view] of before) {
      const after = readMeshView({ place: plane.place, store }, mesh);
      const crowded = crowdedBy(
        after,
        written.map(({ key }) => key),
      );
      warnings = written.map(({ key }, index) => [...(warnings[index] ?? []), ...(crowded.get(keyId(key)) ?? [])]);
      impacts.push({ mesh, ...impactOf(view, after) });
    }
  });
  return { written, warnings, impacts: impacts.filter(({ changes }) => changes.length > 0) };
}

function isClosed({ place, store }: Plane, hasGlobal: boolean): boolean {
  return hasGlobal && !isGlobal(place) && !hasFirstScan(store);
}

/** The meshes of what is written anew and may change decisions; a Mesh lets in what waited for it. */
function touchedMeshes(written: readonly Written[]): string[] {
  const touching = written.filter(({ key, outcome }) => outcome !== 'unchanged' && mayDecide(key.type));
  return [...new Set(touching.map(({ key }) => (key.type === 'Mesh' ? key.name : key.mesh)))].sort();
}
