import { setImmediate } from 'node:timers/promises';
import { MeridianError } from '../../errors.ts';
import { inTurns, type TurnOptions } from './in-turns.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { isClosed } from '../mesh/answer-can.ts';
import { mayDecide, type MeshView, readMeshView } from '../mesh/mesh-view.ts';
import { LEADING } from '../mesh/mesh-rows.ts';
import { crowdedBy, withCrowded } from '../mesh/too-many-rules.ts';
import { settle } from '../mesh/settled-view.ts';
import type { Holder } from '../../policy/match/mesh-index.ts';
import type { PlaneContents, Plane } from '../plane/plane.ts';
import type { AppliedSet } from '../write/applied-sets.ts';
import { warningsInParts } from '../write/write-warnings.ts';
import { type Document, dryRunInParts, type WrittenDocument } from '../write/write-documents.ts';
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
export async function dryRun(
  { plane, hasGlobal, now, gone, charge }: DryRunOptions,
  documents: readonly Document[],
  set?: AppliedSet,
): Promise<DryRun> {
  const turns = { now, nextTurn: () => setImmediate(), gone, charge };
  const tried = await inTurns(tryDocuments(plane, documents, set, hasGlobal), Number.POSITIVE_INFINITY, turns);
  const searched = tried && (await inTurns(stepsOf(tried.result.searches), MOST_SEARCHING, turns));
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
function tryDocuments(plane: Plane, documents: readonly Document[], set: AppliedSet | undefined, hasGlobal: boolean): Parts<TriedWrite> {
  return dryRunInParts(plane, documents, set, function* (tx, before, written) {
    const keys = written.map(({ key }) => key);
    const held = { place: plane.place, store: tx };
    const warnings = yield* warningsInParts(held, keys);
    const searches: MeshSearch[] = [];
    const crowded: ReturnType<typeof crowdedBy>[] = [];
    for (const mesh of isClosed(held, hasGlobal) ? [] : touchedMeshes(written)) {
      const now = readMeshView({ place: plane.place, store: before }, mesh);
      const settled = settle(now, [], now.index.holder);
      yield;
      const after = viewAfter(held, mesh, written, now.index.holder);
      yield;
      searches.push({ mesh, search: new ImpactSearch(settled, after) });
      crowded.push(crowdedBy(after, keys));
      yield;
    }
    return { written, warnings: withCrowded(warnings, keys, crowded), searches };
  });
}

/** A mesh as it would be. A Mesh or a Zone that changes lets in what waited for it, so that any name may be new. */
function viewAfter(held: PlaneContents, mesh: string, done: readonly WrittenDocument[], holder: Holder): MeshView {
  const view = readMeshView(held, mesh);
  const isWide = done.some(({ key: { type } }) => type === 'Mesh' || type === 'Zone');
  const named = isWide ? LEADING.flatMap((type) => view.index.ofType(type)) : done.flatMap(({ key }) => view.index.find(key) ?? []);
  return settle(view, named, holder);
}

/** The meshes of what is written anew and may change decisions; a Mesh lets in what waited for it. */
function touchedMeshes(written: readonly WrittenDocument[]): string[] {
  const touching = written.filter(({ key, outcome }) => outcome !== 'unchanged' && mayDecide(key.type));
  return [...new Set(touching.map(({ key }) => (key.type === 'Mesh' ? key.name : key.mesh)))].sort();
}
