import { asArray, asObject } from '../../../src/naming/json.ts';
import { admit } from '../../../src/policy/admit-draft.ts';
import { canonical } from '../../../src/policy/match/merge-confs.ts';
import { ROLES, type Role } from '../../../src/policy/policy-role.ts';
import { compareText, type Key } from '../../../src/resource/key.ts';
import { findKind } from '../../../src/resource/kinds.ts';
import { parseDocument } from '../../../src/resource/documents/parse-documents.ts';
import type { JsonObject, Place } from '../../../src/resource/resource.ts';

/** Two policies of which another one has the last word here than in Kuma. */
export interface TurnedPair {
  readonly type: string;
  readonly mesh: string;
  /** Which had it in Kuma: it targets a bare Dataplane. */
  readonly kuma: string;
  /** Which has it here: it targets a Dataplane by name. */
  readonly here: string;
}

interface ReadPolicy {
  readonly key: Key;
  readonly role: Role | undefined;
  readonly spec: JsonObject;
}

/**
 * The pairs of an import whose verdict another precedence changes (docs/kuma-differences.md): Kuma takes a bare
 * Dataplane as equal to one with a name, so that the section, the role and the name decide; here a name is more
 * specific. `documents` are as they are applied at `place`: all are of one origin. Pairs that say the same, or whose
 * order decides nothing, are left out.
 *
 *   aaa {kind: Dataplane} Deny, zzz {kind: Dataplane, name: web-1} Allow  ->  in Kuma aaa has the last word, here zzz
 */
export function turnedPairs(documents: readonly unknown[], place: Place): TurnedPair[] {
  const policies = documents.flatMap((document) => readPolicy(document, place));
  const bare = policies.filter(({ spec }) => isBare(targetOf(spec)));
  const named = policies.filter(({ spec }) => targetOf(spec).name !== undefined);
  return bare.flatMap((one) =>
    named
      .filter((other) => sameKind(one.key, other.key) && compareInKuma(one, other) > 0 && matters(one, other))
      .map((other) => ({ type: one.key.type, mesh: one.key.mesh, kuma: one.key.name, here: other.key.name })),
  );
}

function readPolicy(document: unknown, place: Place): ReadPolicy[] {
  const { draft } = parseDocument(document);
  if (!draft || !findKind(draft.type)?.policy || asObject(draft.spec.targetRef)?.kind !== 'Dataplane') return [];
  const admission = admit(draft, place);
  if ('problems' in admission) return [];
  const { key, role } = admission.admitted;
  return [{ key, role, spec: draft.spec }];
}

function targetOf(spec: JsonObject): JsonObject {
  return asObject(spec.targetRef) ?? {};
}

function isBare({ name, labels }: JsonObject): boolean {
  return name === undefined && labels === undefined;
}

function sameKind(a: Key, b: Key): boolean {
  return a.type === b.type && a.mesh === b.mesh;
}

/** As Kuma compares a bare Dataplane with one by name: negative when `a` is the weaker one. */
function compareInKuma(a: ReadPolicy, b: ReadPolicy): number {
  const rank = ({ role }: ReadPolicy) => (role === undefined ? 0 : ROLES.indexOf(role));
  return sectioned(a) - sectioned(b) || rank(a) - rank(b) || compareText(b.key.name, a.key.name);
}

function sectioned({ spec }: ReadPolicy): number {
  return targetOf(spec).sectionName === undefined ? 0 : 1;
}

/** Deny and allow lists of permissions are put together: their order decides nothing. */
function matters({ key, spec: one }: ReadPolicy, { spec: other }: ReadPolicy): boolean {
  if (key.type === 'MeshTrafficPermission' && [one, other].some((spec) => asArray(spec.from).length === 0)) return false;
  return canonical({ ...one, targetRef: null }) !== canonical({ ...other, targetRef: null });
}
