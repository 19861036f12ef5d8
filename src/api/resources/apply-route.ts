import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { dryRun } from '../../control/impact/dry-run.ts';
import type { MeshViews } from '../../control/mesh/mesh-view.ts';
import { crowdedBy, type CrowdedNotes, withCrowded } from '../../control/mesh/too-many-rules.ts';
import type { Plane } from '../../control/plane/plane.ts';
import { inTurns } from '../../control/plane/in-turns.ts';
import type { Parts } from '../../resource/store/parts.ts';
import { type WarningContext, warningsInParts } from '../../control/write/write-warnings.ts';
import { admitDocuments, admitInParts, areMany, type Document, type WrittenDocument } from '../../control/write/write-documents.ts';
import type { AppliedSet } from '../../control/write/applied-sets.ts';
import { invalid, MeridianError } from '../../errors.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import { DNS_LABEL_REASON, isDnsLabel } from '../../resource/dns-names.ts';
import type { Place } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { writeAudited, writeAuditedInParts } from '../audit/audit-requests.ts';
import { principalOf } from '../auth/principal.ts';
import type { WorkBudget } from '../bodies/work-budget.ts';
import { limitApply } from '../bodies/body-limit.ts';
import { type Bodies, goneOf } from '../bodies/read-body.ts';
import { addressOf } from '../http/paged-collection.ts';
import { MAX_APPLY_BYTES } from '../http/request-bodies.ts';
import { describeImpacts, impactShape } from './describe-impact.ts';
import { anyDocument } from '../openapi/kind-schemas.ts';
import { describedDocuments, type Operation } from '../openapi/operation.ts';
import { kri } from '../openapi/common-shapes.ts';
import type { InspectOptions } from '../inspect/inspect-context.ts';

const result = z.strictObject({
  type: z.string(),
  mesh: z.string(),
  name: z.string(),
  kri,
  outcome: z.enum(['created', 'changed', 'unchanged', 'deleted']),
  warnings: z.array(z.string()).min(1).optional().describe('What may not do as expected'),
});

const operation: Operation = {
  id: 'apply',
  summary: 'Create or replace many resources, all or none',
  description:
    'A body may have 16 MiB; 1 MiB of whoever may not write here, for a dry run. A document may have 250,000 parts (keys, values, signs, comments), ' +
    'a body 1,000 anchors and aliases, 100,000 documents and 64 levels. A token has 20 s of work for dry runs at once, and 0.2 s more each second: ' +
    'beyond that the answer is 429.',
  tag: 'Resources',
  query: {
    dryRun: z.boolean().describe('Change nothing; answer the same, and whose verdicts would change'),
    set: z.string().describe('Apply the documents as this set: a DNS label that they are marked with (the label meridian.io/set)'),
    prune: z.boolean().describe('Delete, in the same commit, what is of the set and not among the documents'),
    allowEmpty: z.boolean().describe('With prune: no documents at all delete the whole set'),
  },
  body: z.union([anyDocument, z.array(anyDocument)]),
  answers: {
    200: z.union([
      z.strictObject({ results: z.array(result) }),
      z.strictObject({ results: z.array(result), ...impactShape }).meta({ id: 'DryRun' }),
    ]),
  },
  refusals: [404, 405, 409],
};

/**
 * `POST /apply`: many documents in either format, all or none. The problems of all documents come at once.
 * `?dryRun=true` changes nothing, gives the same answer, and says at which proxies whose verdicts would change
 * (src/control/impact); whoever asks is charged for the work. `?set=NAME&prune=true` deletes what was applied as this
 * set before and is not among the documents.
 */
export function addApplyRoute(
  app: FastifyInstance,
  options: InspectOptions & { readonly budget: WorkBudget },
  beside: WarningContext,
  bodies: Bodies,
): void {
  const { plane, sync, views, budget, monotonic: now = () => performance.now() } = options;
  const { config } = describedDocuments('Could not process a resource', operation);
  app.post('/apply', { bodyLimit: MAX_APPLY_BYTES, preParsing: limitApply(plane.place), config }, async (request, reply) => {
    const { searchParams } = addressOf(request);
    const [isDry, set] = [flag(searchParams, 'dryRun'), setOf(searchParams)];
    const gone = goneOf(reply);
    const charge = isDry ? budget.open(principalOf(request)) : () => {};
    const documents = await bodies.documents(request, { gone, charge });
    refuseEmpty(documents.length, set, flag(searchParams, 'allowEmpty'));
    const results = (written: readonly WrittenDocument[], warnings: Warnings) =>
      written.map((one, index) => toResult(one, warnings[index] ?? [], plane.place));
    if (isDry) {
      const { written, warnings, impacts, complete } = await dryRun(
        { plane, hasGlobal: sync !== undefined, now, gone, charge },
        documents,
        set,
      );
      return { results: results(written, warnings), ...describeImpacts(impacts, complete, plane.place) };
    }
    if (areMany(documents, set)) {
      const { written, warnings } = await inTurns('apply', applyInParts(options, request, { documents, set, beside }));
      const keys = written.map(({ key }) => key);
      const all = await withRouted(warnings, keys, plane, views);
      return { results: await inTurns('apply', resultsOf(written, all, plane.place)) };
    }
    const write = admitDocuments(plane, documents, set);
    const { written } = await writeAudited(options, request, (tx) => ({ written: write(tx) }), documents.length);
    const keys = written.map(({ key }) => key);
    const warnings = await inTurns('apply', warningsInParts(plane, keys, beside));
    return { results: results(written, await withRouted(warnings, keys, plane, views)) };
  });
}

interface ManyDocuments {
  readonly documents: readonly Document[];
  readonly set: AppliedSet | undefined;
  readonly beside: WarningContext;
}

/** The same for many documents, a step at a time. */
function* applyInParts(options: InspectOptions, request: FastifyRequest, { documents, set, beside }: ManyDocuments) {
  const { plane } = options;
  const write = yield* admitInParts(plane, documents, set);
  const written = yield* writeAuditedInParts(options, request, write);
  const keys = written.map(({ key }) => key);
  return { written, warnings: yield* warningsInParts(plane, keys, beside) };
}

function* resultsOf(written: readonly WrittenDocument[], warnings: Warnings, place: Place): Parts<ReturnType<typeof toResult>[]> {
  const results: ReturnType<typeof toResult>[] = [];
  for (const [index, one] of written.entries()) {
    results.push(toResult(one, warnings[index] ?? [], place));
    yield;
  }
  return results;
}

/** Routes multiply rules: only where there are some it is worth counting with each write. A dry run always counts. */
async function withRouted(warnings: Warnings, keys: readonly Key[], { store }: Plane, views: MeshViews): Promise<Warnings> {
  const deciding = keys.filter(({ type }) => type === 'MeshTrafficPermission' || type === 'MeshHTTPRoute');
  const routed = [...new Set(deciding.map(({ mesh }) => mesh))].filter(
    (mesh) => store.list({ type: 'MeshHTTPRoute', mesh }, 0, 1).items.length > 0,
  );
  const crowded: CrowdedNotes[] = [];
  for (const mesh of routed) crowded.push(await inTurns('apply', crowdedBy(await views(mesh), deciding)));
  return withCrowded(warnings, keys, crowded);
}

/** A misspelt word must not write. */
function flag(query: URLSearchParams, name: 'dryRun' | 'prune' | 'allowEmpty'): boolean {
  const value = query.get(name) ?? 'false';
  if (value !== 'true' && value !== 'false') throw invalid([{ field: name, reason: 'must be true or false' }]);
  return value === 'true';
}

function setOf(query: URLSearchParams): AppliedSet | undefined {
  const [name, prune] = [query.get('set'), flag(query, 'prune')];
  if (name === null && prune) throw invalid([{ field: 'prune', reason: 'needs a set: only what was applied as that is deleted' }]);
  if (name === null) return undefined;
  if (!isDnsLabel(name)) throw invalid([{ field: 'set', reason: DNS_LABEL_REASON }]);
  return { name, prune };
}

/** No documents are a broken checkout more often than a wish to delete everything. */
function refuseEmpty(count: number, set: AppliedSet | undefined, allowed: boolean): void {
  if (count > 0 || (set?.prune && allowed)) return;
  throw new MeridianError('invalid', 'the body holds no document', set?.prune ? { hint: 'allowEmpty=true deletes the whole set' } : {});
}

type Warnings = readonly (readonly string[])[];

function toResult({ key, outcome }: WrittenDocument, warnings: readonly string[], place: Place) {
  const { type, mesh, name, namespace } = key;
  return {
    type,
    mesh,
    name: restName({ key, name, namespace }, place),
    kri: formatKri(key),
    outcome,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}
