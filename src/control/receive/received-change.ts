import { hashItem } from '../../kds/digest.ts';
import { type DecodedLine, decodeLine, type Item } from '../../kds/item.ts';
import type { Key } from '../../resource/key.ts';
import type { Place } from '../../resource/resource.ts';
import type { FeedChange, MirrorItem } from '../../resource/store/store.ts';
import { isGlobal } from '../plane/plane.ts';

/** One change of a transfer. It is hashed once, and decoded once. */
export interface ReceivedChange extends FeedChange {
  /** Of the wire; '' for a delete. */
  readonly hash: string;
  /** The version that the mirror had when the transfer came. */
  readonly before?: Pick<MirrorItem, 'hash' | 'term'> | undefined;
  /**
   * What the line says. undefined: it was staged. That one is decoded when it is judged, for most of a large scan is
   * known already, and all of it decoded would not fit into memory.
   */
  readonly decoded?: DecodedLine | undefined;
}

/**
 * The lines of a message, by key; a delete has the wire ''. On global every key gets the zone that sent it, whatever
 * the line says.
 */
export function readLines(lines: readonly string[], origin: Place): (FeedChange & { readonly decoded: DecodedLine })[] {
  return lines.flatMap((line) => {
    const decoded = decodeLine(line);
    if (!decoded) return [];
    const key = isGlobal(origin) ? decoded.key : { ...decoded.key, zone: origin.zone };
    return [{ key, wire: decoded.gone ? '' : line, decoded }];
  });
}

export function receivedLines(lines: readonly string[], origin: Place): ReceivedChange[] {
  return readLines(lines, origin).map(withHash);
}

/** What an earlier message brought, from the store. */
export function receivedStaged(staged: FeedChange): ReceivedChange {
  return withHash(staged);
}

export function receivedDelete(key: Key): ReceivedChange {
  return { key, wire: '', hash: '' };
}

/** undefined: it is a delete, or it can't be read. */
export function itemOf({ wire, decoded = decodeLine(wire) }: ReceivedChange): Item | undefined {
  return decoded?.item;
}

function withHash<T extends FeedChange>(change: T): T & { readonly hash: string } {
  return { ...change, hash: change.wire === '' ? '' : hashItem(change.wire) };
}
