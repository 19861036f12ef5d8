import { isLost } from '../peers/lost-store.ts';
import { MeridianError } from '../../errors.ts';
import { isNobodys, type Reference, resolveReference } from '../../naming/find-references.ts';
import { formatKri, type Key, keyId } from '../../resource/key.ts';
import { findKind } from '../../resource/kinds.ts';
import type { Place, Resource } from '../../resource/resource.ts';
import type { MirrorItem, Reader, Transaction } from '../../resource/store/store.ts';
import { MOST_REFUSED, mostNames, type Plane } from '../plane/plane.ts';

/** The beginning of a reason that is not the item's fault. Such an item is judged again when there is room. */
export const OVER_QUOTA = 'over_quota';

/** What of an item takes room. */
interface CountedItem {
  readonly key: Key;
  readonly wire: string;
  /** Those in its spec: each target is given a name. */
  readonly references: readonly Reference[];
}

/**
 * Why an item of a zone has no room at global; undefined: it has room. An item that takes no more than the one that it
 * replaces always has room.
 *
 *   quota 2 resources; a and b are held   put c -> over_quota    put b, shorter -> taken
 *   a is deleted                          c is judged again -> taken
 */
export function whyOverQuota(tx: Transaction, { quota }: Plane, origin: Place, item: CountedItem): string | undefined {
  if (!quota) return undefined;
  const { zone } = origin;
  const held = tx.holding(zone);
  if (held.resources >= quota.resources && !tx.has(item.key)) return reason(zone, `holds ${held.resources} resources`, quota.resources);
  const bytes = Buffer.byteLength(item.wire);
  if (held.bytes + bytes > quota.bytes && bytes > bytesOf(tx.get(item.key)?.resource)) {
    return reason(zone, `holds ${held.bytes} bytes and this has ${bytes}`, quota.bytes);
  }
  const names = mostNames(quota);
  const more = namesFor(tx, origin, item, names - held.names);
  return more > names - held.names ? reason(zone, `has ${held.names} names and this needs ${more}`, names) : undefined;
}

function reason(zone: string, what: string, most: number): string {
  return `${OVER_QUOTA}: zone ${zone} ${what} at global, where it may have ${most}; delete some, or raise the quota at global`;
}

function bytesOf(resource: Resource | undefined): number {
  if (!resource) return 0;
  const { labels, spec, status } = resource;
  return Buffer.byteLength(JSON.stringify([labels, spec, status ?? {}]));
}

/**
 * How many names would be given out for the item and what it refers to. Worked out only where `room` may not be enough.
 */
function namesFor(tx: Transaction, origin: Place, { key, references }: CountedItem, room: number): number {
  if (!findKind(key.type)) return 0;
  if (references.length < room) return 0;
  const holder = (type: string, name: string) => tx.nameHolder(type, name);
  const targets = references.map((reference) => resolveReference(reference, key, origin, holder)).filter((target) => !isNobodys(target));
  return new Set([key, ...targets].filter((one) => tx.assignedName(one) === undefined).map(keyId)).size;
}

/**
 * Refuses a whole transfer that would leave global with more refused items than it keeps of a zone, or with more than
 * there were. What came before stays as it is: what a refused deny selects is denied still. To be called after each
 * item, and once more at the end; before that some more may be refused, for what is mended may come later. Throws
 * `unavailable`, as `refuseFlood`.
 */
export function boundRefused({ mirror }: Reader, { quota }: Plane, peer: string): (where: 'midway' | 'end') => void {
  if (!quota) return () => {};
  const before = mirror.refusalSum(peer);
  const [items, bytes] = [Math.max(MOST_REFUSED.items, before.count), Math.max(MOST_REFUSED.bytes, before.bytes)];
  return (where) => {
    const now = mirror.refusalSum(peer);
    const spare = where === 'midway' ? 2 : 1;
    if (now.count <= spare * items && now.bytes <= spare * bytes) return;
    const [first] = mirror.refusals(peer, undefined, 1);
    throw new MeridianError(
      'unavailable',
      `${OVER_QUOTA}: global refuses more of what zone ${peer} sends than it keeps (${MOST_REFUSED.items} items, ${MOST_REFUSED.bytes} bytes), and takes no more of it until that is mended; the first: ${first ? formatKri(first.key) || first.key.name : ''}: ${first?.reason ?? ''}`,
    );
  };
}

/**
 * Refuses a whole transfer if global would then keep more than twice the zone's quota. Refused items are kept too, to
 * be judged again. Items that the zone's lost store had sent do not count: only an operator may give them up, and until
 * then the new store could send nothing. Throws `unavailable`: the transfer is asked for again, at growing intervals.
 */
export function refuseFlood(tx: Reader, { quota }: Plane, peer: string, changes: readonly Pick<MirrorItem, 'key' | 'wire'>[]): void {
  if (!quota) return;
  const { mirrored, mirroredBytes } = tx.holding(peer);
  const sent = changes.reduce((sum, { wire }) => sum + Buffer.byteLength(wire), 0);
  const [most, mostBytes] = [2 * quota.resources, 2 * quota.bytes];
  if (mirrored + changes.length <= most && mirroredBytes + sent <= mostBytes) return;
  const put = changes.filter(({ wire }) => wire !== '').length;
  const without = (old: readonly MirrorItem[]) => {
    const items = mirrored + put - old.length;
    const bytes = mirroredBytes + sent - old.reduce((sum, { wire }) => sum + Buffer.byteLength(wire), 0);
    return { items, bytes, fits: items <= Math.max(most, mirrored) && bytes <= Math.max(mostBytes, mirroredBytes) };
  };
  const replaced = changes.flatMap(({ key }) => tx.mirror.get(peer, key) ?? []);
  if (without(replaced).fits) return;
  const lost = [...tx.mirror.each(peer)].filter(isLost);
  const { items, bytes, fits } = without([...new Map([...replaced, ...lost].map((item) => [keyId(item.key), item])).values()]);
  if (fits) return;
  throw new MeridianError(
    'unavailable',
    `${OVER_QUOTA}: zone ${peer} has ${items} resources of ${bytes} bytes for global, which looks at no more than ${most} of ${mostBytes} bytes`,
  );
}
