import { setImmediate } from 'node:timers/promises';
import { MeridianError } from '../../errors.ts';
import { inLimitedTurns, type TurnOptions } from './limited-turns.ts';
import type { Key } from '../../resource/key.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { isClosed } from '../peers/first-scan-state.ts';
import { mayDecide, type MeshView, readMeshView } from '../mesh/mesh-view.ts';
import { LEADING } from '../mesh/mesh-rows.ts';
import { crowdedBy, type CrowdedNotes, withCrowded } from '../mesh/too-many-rules.ts';
import { settle } from '../mesh/settled-view.ts';
import type { Holder } from '../../policy/match/mesh-index.ts';
import type { PlaneContents, Plane } from '../plane/plane.ts';
import type { AppliedSet } from '../write/applied-sets.ts';
import { warningsInParts } from '../write/write-warnings.ts';
import {
  type AdmittedWrite,
  admitInParts,
  deleteInParts,
  type Document,
  dryRunInParts,
  type WrittenDocument,
} from '../write/write-documents.ts';
import { type Impact, ImpactSearch } from './mesh-impact.ts';

/** What documents would do: to resources, and to the decisions of the proxies that are known here. */
export interface DryRun {
  readonly written: readonly WrittenDocument[];
  /** Of each of them. */
  readonly warnings: readonly (readonly string[])[];
  readonly impacts: readonly MeshImpact[];
  /** Whether everything was looked at: else others may gain or lose access too. */
  readonly complete: boolean;
}

export interface MeshImpact extends Impact {
  readonly mesh: string;
}

/** Where a dry run is made, and for whom. */
export interface DryRunOptions extends Pick<TurnOptions, 'now' | 'gone' | 'charge'> {
  readonly plane: Plane;
  readonly hasGlobal: boolean;
}

/** How long it is looked whose verdicts change, ms. */
const MOST_SEARCHING = 10_000;

/**
 * Says what a write would do, and whose verdicts would change; errors as there. All of it in turns. Others
 * write as soon as all was written, looked at and rolled back: whose verdicts change is found after that. A zone that
 * denies everything, for it has never had a complete scan of its global, changes none. Throws `unavailable` where the
 * client is gone.
 */
export function dryRun(options: DryRunOptions, documents: readonly Document[], set?: AppliedSet): Promise<DryRun> {
  return tryOut(options, admitInParts(options.plane, documents, set));
}

/** The same for deleting these resources, all at once: errors as of `deleteOwn`. */
export function dryRunDelete(options: DryRunOptions, keys: readonly Key[]): Promise<DryRun> {
  return tryOut(options, deleteInParts(options.plane, keys));
}

async function tryOut({ plane, hasGlobal, now, gone, charge }: DryRunOptions, admitted: AdmittedWrite): Promise<DryRun> {
  const turns = { now, nextTurn: () => setImmediate(), gone, charge };
  const tried = await inLimitedTurns(tryWrite(plane, admitted, hasGlobal), Number.POSITIVE_INFINITY, turns);
  const searched = tried && (await inLimitedTurns(stepsOf(tried.result.searches), MOST_SEARCHING, turns));
  if (!tried || gone.aborted) throw new MeridianError('unavailable', 'the client is gone');
  const { written, warnings, searches } = tried.result;
  const impacts = searches.map(({ mesh, search }) => ({ mesh, ...search.result() }));
  return { written, warnings, complete: searched !== undefined, impacts: impacts.filter(({ changes }) => changes.length > 0) };
}

function* stepsOf(searches: readonly MeshSearch[]): Parts<void> {
  for (const { search } of searches) yield* search.steps();
}

interface MeshSearch {
  readonly mesh: string;
  readonly search: ImpactSearch;
}

interface TriedWrite extends Pick<DryRun, 'written' | 'warnings'> {
  readonly searches: readonly MeshSearch[];
}

/** Writes everything, looks at it, and rolls it back: each mesh that it touches as it would be, and as it is. */
function tryWrite(plane: Plane, admitted: AdmittedWrite, hasGlobal: boolean): Parts<TriedWrite> {
  return dryRunInParts(plane, admitted, function* (tx, before, written) {
    const keys = written.map(({ key }) => key);
    const held = { place: plane.place, store: tx, site: plane.site };
    const warnings = yield* warningsInParts(held, keys);
    const searches: MeshSearch[] = [];
    const crowded: CrowdedNotes[] = [];
    for (const mesh of isClosed(held, hasGlobal) ? [] : touchedMeshes(written, before)) {
      const now = yield* readMeshView({ ...held, store: before }, mesh);
      const settled = yield* settle(now, [], now.index.holder);
      const after = yield* viewAfter(held, mesh, written, now.index.holder);
      searches.push({ mesh, search: new ImpactSearch(settled, after) });
      crowded.push(yield* crowdedBy(after, keys));
    }
    return { written, warnings: withCrowded(warnings, keys, crowded), searches };
  });
}

/** A mesh as it would be. A Mesh or a Zone that changes lets in what waited for it, so that any name may be new. */
function* viewAfter(held: PlaneContents, mesh: string, done: readonly WrittenDocument[], holder: Holder): Parts<MeshView> {
  const view = yield* readMeshView(held, mesh);
  const isWide = done.some(({ key: { type } }) => type === 'Mesh' || type === 'Zone');
  const named = isWide ? LEADING.flatMap((type) => view.index.ofType(type)) : done.flatMap(({ key }) => view.index.find(key) ?? []);
  return yield* settle(view, named, holder);
}

/** The meshes of what is written anew and may change decisions; a Mesh lets in what waited for it, a Zone is in all. */
function touchedMeshes(written: readonly WrittenDocument[], store: PlaneContents['store']): string[] {
  const touching = written.filter(({ key, outcome }) => outcome !== 'unchanged' && mayDecide(key.type));
  const all = touching.some(({ key }) => key.type === 'Zone') ? [...store.each('Mesh')].map(({ resource }) => resource.key.name) : [];
  return [
    ...new Set([...all, ...touching.flatMap(({ key }) => (key.type === 'Zone' ? [] : key.type === 'Mesh' ? key.name : key.mesh))]),
  ].sort();
}
