import { MeridianError, type Problem } from '../../errors.ts';
import { type Key, keyId } from '../../resource/key.ts';
import { isInsight, KINDS, kindOf } from '../../resource/kinds.ts';
import { formatPath, quote } from '../../resource/field-path.ts';
import type { Draft } from '../../resource/resource.ts';
import type { Parts } from '../../resource/store/parts.ts';
import type { Reader, Row } from '../../resource/store/store.ts';
import type { Plane } from '../plane/plane.ts';

/**
 * The label of a resource that was applied as a member of a set: the resources that a folder of files made, and may
 * delete.
 */
export const SET_LABEL = 'meridian.io/set';

/** A set of documents that are applied together. `prune`: members that are not among the documents are deleted. */
export interface AppliedSet {
  readonly name: string;
  readonly prune: boolean;
}

const PAGE = 1000;

/** A draft as a member of the set, and the problem if it says itself that it belongs to another set. */
export function asMember(draft: Draft, { name }: AppliedSet): { readonly draft: Draft; readonly problems: readonly Problem[] } {
  const said = draft.labels[SET_LABEL];
  const field = formatPath(['labels', SET_LABEL]);
  const problems =
    said === undefined || said === name ? [] : [{ field, reason: `must be ${quote(name)} or left out: that set is applied` }];
  return { draft: { ...draft, labels: { ...draft.labels, [SET_LABEL]: name } }, problems };
}

/**
 * Two sets must not write one resource: each would delete it for the other. Throws `conflict` for a member of another
 * set.
 */
export function* refuseOtherSets(reader: Reader, { name }: AppliedSet, keys: readonly Key[]): Parts<void> {
  const problems: Problem[] = [];
  for (const [index, key] of keys.entries()) {
    yield;
    const other = reader.get(key)?.resource.labels[SET_LABEL];
    if (other === undefined || other === name) continue;
    const field = keys.length > 1 ? `[${index}]` : 'labels';
    problems.push({ field, reason: `${key.type} ${key.name} is of the set ${quote(other)}` });
  }
  if (problems.length === 0) return;
  throw new MeridianError('conflict', `some documents are of another set than ${name}`, {
    problems,
    hint: 'take them out of one of the two, or apply them without a set first',
  });
}

/**
 * What is of the set, was made here, and is not among `kept`: in the order of deletion, what is in a mesh before the
 * Mesh. Throws `conflict` for a Zone: with it would go what it sent, denies among that, so nobody does it by leaving a
 * file out.
 *
 *   set `shop` holds a, b and c; a and c are applied  ->  b
 */
export function* leftOut(reader: Reader, { place }: Plane, { name }: AppliedSet, kept: readonly Key[]): Parts<readonly Key[]> {
  const applied = new Set(kept.map(keyId));
  const members: Key[] = [];
  for (const { type } of KINDS.filter((kind) => !isInsight(kind))) members.push(...(yield* membersOf(reader, type, name)));
  const left = members.filter((key) => key.zone === place.zone && !applied.has(keyId(key)));
  const zone = left.find(({ type }) => type === 'Zone');
  if (!zone) return left.sort((a, b) => depth(b) - depth(a));
  throw new MeridianError(
    'conflict',
    `the Zone ${zone.name} is of the set ${name} and no longer in its files: a zone is not deleted by that`,
    {
      hint: `keep it in the files, or delete it by name first: \`meridianctl delete zone ${zone.name}\``,
    },
  );
}

/** Read whole before anything is deleted: a page would slip. */
function* membersOf(reader: Reader, type: string, set: string): Parts<Key[]> {
  const keys: Key[] = [];
  for (let total = Number.POSITIVE_INFINITY; keys.length < total; ) {
    yield;
    const page = reader.list({ type, labels: { [SET_LABEL]: set } }, keys.length, PAGE);
    keys.push(...page.items.map(({ key }: Row['resource']) => key));
    total = page.items.length === 0 ? 0 : page.total;
  }
  return keys;
}

function depth({ type }: Key): number {
  return kindOf(type).scope === 'Mesh' ? 1 : 0;
}
