import { type Key, keyId } from '../../resource/key.ts';
import type { Labels } from '../../resource/labels.ts';
import type { Resource } from '../../resource/resource.ts';
import type { MergedConf } from '../match/merge-confs.ts';
import type { MeshIndex } from '../match/mesh-index.ts';
import type { Policy } from '../match/policy.ts';
import { type Destination, mergeTo, serviceTags, subjectOf, targetsOf, toItems, type ToItem } from '../match/to-items.ts';

/** The rules for requests to one destination. */
export interface ToRule extends MergedConf {
  /** undefined: every destination, or what has the tags. */
  readonly resource: Resource | undefined;
  /** For each origin, the place of its strongest item in its `to`. */
  readonly ruleIndexes: readonly number[];
  /** '' for the whole of it. */
  readonly sectionName: string;
  /** Of a destination that is known by its tags alone. */
  readonly tags: Labels | undefined;
}

/**
 * What `to` items of one kind come to for each destination that they name: every one, resources, and services that are
 * no resource here.
 *
 *   [Mesh {a: 1}, MeshService backend {b: 1}]  ->  [every destination: {a: 1}, backend: {a: 1, b: 1}]
 */
export function toRules(type: string, policies: readonly Policy[], mesh: MeshIndex): ToRule[] {
  const items = toItems(policies);
  const refs = targetsOf(items);
  const everything = items.filter((item) => subjectOf(item).kind === 'Mesh');
  const merge: MergeOutbound = (destination, list = items) => {
    const merged = mergeTo(type, list, destination, mesh);
    const means = (item: ToItem) => mergeTo(type, [item], destination, mesh) !== undefined;
    return (
      merged && { ...merged, ruleIndexes: merged.origins.map((key) => placeOf(list.findLast((item) => isOf(item, key) && means(item)))) }
    );
  };
  const all = merge({}, everything);
  const named = [...new Set(refs.map(({ kind }) => kind))]
    .flatMap((kind) => mesh.ofType(kind))
    .flatMap((found) => rulesOf(found, items, merge));
  const tagged = refs.flatMap((ref) => {
    const tags = serviceTags(ref);
    const known = named.some(({ resource }) => resource?.key.type === ref.kind && resource.name === ref.name);
    const merged = tags === undefined || known ? undefined : merge({ tags });
    return merged ? [{ ...merged, resource: undefined, sectionName: ref.sectionName ?? '', tags }] : [];
  });
  return [...(all ? [{ ...all, resource: undefined, sectionName: '', tags: undefined }] : []), ...named, ...tagged];
}

type OutboundConf = Pick<ToRule, keyof MergedConf | 'ruleIndexes'>;
type MergeOutbound = (destination: Destination, list?: readonly ToItem[]) => OutboundConf | undefined;

function isOf({ policy: { resource } }: ToItem, key: Key): boolean {
  return keyId(resource.key) === keyId(key);
}

function placeOf(item: ToItem | undefined): number {
  return item?.index ?? 0;
}

/** A resource as a whole, and each section that an item names, if any item means it. */
function rulesOf(resource: Resource, items: readonly ToItem[], merge: MergeOutbound): ToRule[] {
  const mine = items.filter((item) => subjectOf(item).kind === resource.key.type);
  const sections = [...new Set(mine.map((item) => subjectOf(item).sectionName))];
  return sections.flatMap((section) => {
    const destination = { resource, sections: section === undefined ? [] : [section] };
    const about = mine.filter((item) => subjectOf(item).sectionName === section);
    const merged = merge(destination, about) && merge(destination);
    return merged ? [{ ...merged, resource, sectionName: section ?? '', tags: undefined }] : [];
  });
}
