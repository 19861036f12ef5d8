import * as z from 'zod';
import type { NamedCallers } from '../../control/impact/caller-names.ts';
import type { MeshImpact } from '../../control/impact/dry-run.ts';
import type { CallerChange, InboundsChange } from '../../control/impact/mesh-impact.ts';
import type { VerdictChange, VerdictPair } from '../../control/impact/compare-verdicts.ts';
import { formatKri, type Key } from '../../resource/key.ts';
import type { Place } from '../../resource/resource.ts';
import { restName } from '../../resource/rest-name.ts';
import { MATCH_TYPES } from '../../resource/string-match.ts';
import { kri } from '../openapi/common-shapes.ts';

const action = z.enum(['Allow', 'Deny']);
const decider = kri.nullable().describe('The policy that decides; null: none, and what nobody allows is denied');
const verdict = z
  .strictObject({ decision: action, shadow: action, decidedBy: decider, shadowDecidedBy: decider })
  .meta({ id: 'Verdict', description: 'What is decided, and what would be if all shadow actions were enforced' });
const match = z.strictObject({ type: z.enum(MATCH_TYPES), value: z.string() });
export const requestCondition = z
  .strictObject({
    method: z.string().optional(),
    methodNot: z.array(z.string()).optional(),
    path: match.optional(),
    pathNot: z.array(match).optional(),
    noPath: z.literal(true).optional().describe('Requests without a path: CONNECT'),
  })
  .meta({ id: 'RequestCondition', description: 'Which requests; what is not said may be anything' });
const named = z.strictObject({ kind: z.enum(['identity', 'prefix']), spiffeId: z.string() });
const except = z.array(named).optional().describe('Of those that are meant, these do not change');
const caller = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('identity'), spiffeId: z.string() }),
  z.strictObject({ kind: z.literal('prefix'), spiffeId: z.string(), except }),
  z.strictObject({ kind: z.literal('sans'), sans: z.array(z.string()).describe('`spiffe://<mesh>/` is any identity of that mesh') }),
  z.strictObject({ kind: z.literal('dataplanes'), set: z.int().min(0).describe('The place of a set in `callerSets`') }),
  z.strictObject({ kind: z.literal('other'), except }),
  z.strictObject({ kind: z.literal('plaintext') }).describe('Whoever comes in plain text: no permission is asked'),
]);

/** What a dry run says beside its results. */
export const impactShape = {
  incomplete: z
    .string()
    .optional()
    .describe('Why `changes` are not all: the work was ended before everything was looked at, and others may gain or lose access'),
  changes: z.array(
    z
      .strictObject({
        mesh: z.string(),
        inbounds: z.array(z.strictObject({ kri, dataplane: z.string(), zone: z.string(), inbound: z.string() })),
        callers: z.array(
          z.strictObject({
            from: z.array(caller),
            verdicts: z.array(z.strictObject({ when: requestCondition.optional(), before: verdict, after: verdict })),
          }),
        ),
      })
      .meta({ id: 'DecisionChange', description: 'Inbounds at which the same callers are decided about otherwise' }),
  ),
  callerSets: z.array(
    z
      .strictObject({
        mesh: z.string(),
        by: z.enum(['tags', 'spiffeId']).describe('Which certificate they show: that of their tags, or that of their SPIFFE ID'),
        sans: z.array(z.string()).describe('The URI SANs of the first of them'),
        dataplanes: z.array(kri),
      })
      .meta({ id: 'CallerSet', description: 'Proxies that no policy tells apart as callers' }),
  ),
};

const INCOMPLETE = 'the dry run took more work than one may: changes were not looked for everywhere; apply fewer documents at once';

/** Whose verdicts change, as the API says it. The sets of all meshes are in one list. */
export function describeImpacts(impacts: readonly MeshImpact[], complete: boolean, place: Place) {
  let sets = 0;
  const changes = impacts.flatMap((impact) => {
    const first = sets;
    sets += impact.sets.length;
    return impact.changes.map((change) => ({ mesh: impact.mesh, ...describeChange(change, first, place) }));
  });
  const callerSets = impacts.flatMap(({ mesh, sets: ofMesh }) =>
    ofMesh.map(({ by, sans, dataplanes }) => ({ mesh, by, sans, dataplanes: dataplanes.map(({ key }) => formatKri(key)) })),
  );
  return { ...(complete ? {} : { incomplete: INCOMPLETE }), changes, callerSets };
}

function describeChange({ inbounds, callers }: InboundsChange, firstSet: number, place: Place) {
  return {
    inbounds: inbounds.map(({ dataplane, section }) => ({
      kri: formatKri(dataplane.key, section),
      dataplane: restName(dataplane, place),
      zone: dataplane.key.zone,
      inbound: section,
    })),
    callers: callers.map(({ from, verdicts }) => ({
      from: from.map((one) => describeCaller(one, firstSet)),
      verdicts: verdicts.map(describeVerdicts),
    })),
  };
}

function describeCaller(one: CallerChange, firstSet: number) {
  if (one.kind === 'dataplanes') return { kind: one.kind, set: firstSet + one.set };
  if (!('except' in one)) return one;
  const { except: excepted, ...rest } = one;
  return excepted.length === 0 ? rest : { ...rest, except: excepted.map(describeNamed) };
}

function describeNamed({ kind, spiffeId }: NamedCallers) {
  return { kind, spiffeId };
}

function describeVerdicts({ when, before, after }: VerdictChange) {
  const verdicts = { before: describeVerdict(before), after: describeVerdict(after) };
  return Object.keys(when).length === 0 ? verdicts : { when, ...verdicts };
}

function describeVerdict({ decision, shadow, decidedBy, shadowDecidedBy }: VerdictPair) {
  return { decision, shadow, decidedBy: kriOf(decidedBy), shadowDecidedBy: kriOf(shadowDecidedBy) };
}

function kriOf(key: Key | undefined): string | null {
  return key ? formatKri(key) : null;
}
