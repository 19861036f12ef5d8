import { isDeepStrictEqual } from 'node:util';
import { MeridianError } from '../../errors.ts';
import { hashItem } from '../../kds/digest.ts';
import { type Audience, formatAudience, parseAudience } from '../../resource/audience.ts';
import type { Resource } from '../../resource/resource.ts';
import type { Row } from '../../resource/store/store.ts';
import { ABSENT, type FeedState } from '../feed/feed-digests.ts';

/** A line of the table `resources`. */
export interface ResourceColumns {
  readonly key: number;
  readonly type: string;
  readonly mesh: string;
  readonly zone: string;
  readonly origin_namespace: string;
  readonly display_name: string;
  readonly name: string;
  readonly namespace: string;
  readonly created: string;
  readonly modified: string;
  readonly revision: number;
  readonly audience: string;
  readonly hash: string;
  readonly labels: string;
  readonly spec: string;
  readonly status: string | null;
  readonly wire: string;
}

/** The columns, in the order of a `RowArray`. */
export const COLUMNS = `key, type, mesh, zone, origin_namespace, display_name, name, namespace, created, modified, revision,
  audience, hash, labels, spec, status, wire`;

/** A line as an array: to make an object of it costs SQLite's binding as much as reading it. */
export type RowArray = readonly [
  ...[key: number, type: string, mesh: string, zone: string, origin_namespace: string, display_name: string, name: string],
  ...[namespace: string, created: string, modified: string, revision: number, audience: string, hash: string],
  ...[labels: string, spec: string, status: string | null, wire: string],
];

/** By index: spread or taken apart it would take ten times as long. */
export function columnsIn(line: RowArray): ResourceColumns {
  return {
    key: line[0],
    type: line[1],
    mesh: line[2],
    zone: line[3],
    origin_namespace: line[4],
    display_name: line[5],
    name: line[6],
    namespace: line[7],
    created: line[8],
    modified: line[9],
    revision: line[10],
    audience: line[11],
    hash: line[12],
    labels: line[13],
    spec: line[14],
    status: line[15],
    wire: line[16],
  };
}

export function resourceOf(columns: Omit<ResourceColumns, 'wire'>): Resource {
  const { type, mesh, zone } = columns;
  return {
    key: { type, mesh, zone, namespace: columns.origin_namespace, name: columns.display_name },
    name: columns.name,
    namespace: columns.namespace,
    labels: JSON.parse(columns.labels),
    spec: JSON.parse(columns.spec),
    ...(columns.status === null ? {} : { status: JSON.parse(columns.status) }),
    creationTime: columns.created,
    modificationTime: columns.modified,
  };
}

export function rowOf(columns: ResourceColumns): Row {
  const { wire, revision } = columns;
  return { resource: resourceOf(columns), audience: parseAudience(columns.audience), wire, revision };
}

/** The line of a resource whose key has the number `key`. What is for nobody keeps no item. */
export function columnsOf(key: number, resource: Resource, to: Audience, wire: string, revision: number): ResourceColumns {
  const audience = audienceColumn(to, wire);
  return {
    key,
    type: resource.key.type,
    mesh: resource.key.mesh,
    zone: resource.key.zone,
    origin_namespace: resource.key.namespace,
    display_name: resource.key.name,
    name: resource.name,
    namespace: resource.namespace,
    created: resource.creationTime,
    modified: resource.modificationTime,
    revision,
    audience,
    hash: audience === '' ? '' : hashItem(wire),
    labels: JSON.stringify(resource.labels),
    spec: JSON.stringify(resource.spec),
    status: resource.status === undefined ? null : JSON.stringify(resource.status),
    wire: audience === '' ? '' : wire,
  };
}

/** Refuses what would read as another audience, and an empty item, which would read as a delete. */
function audienceColumn(audience: Audience, wire: string): string {
  if (audience.to === 'only' && (audience.zone === '' || audience.zone === '*')) {
    throw new MeridianError('internal', `${JSON.stringify(audience.zone)} is not the name of a zone`);
  }
  if (audience.to !== 'none' && wire === '') throw new MeridianError('internal', 'a resource with an audience needs an encoded item');
  return formatAudience(audience);
}

/** What of a line is asked of it before it is replaced. */
export type OldColumns = Pick<ResourceColumns, 'name' | 'namespace' | 'audience' | 'hash' | 'labels' | 'spec' | 'status'>;

/** In the order of `OldRow`. */
export const OLD_COLUMNS = 'name, namespace, audience, hash, labels, spec, status';

export type OldRow = readonly [
  ...[name: string, namespace: string, audience: string, hash: string],
  ...[labels: string, spec: string, status: string | null],
];

export function oldIn(line: OldRow): OldColumns {
  return { name: line[0], namespace: line[1], audience: line[2], hash: line[3], labels: line[4], spec: line[5], status: line[6] };
}

/**
 * Whether a put of `next` over `old` has nothing to write. The order of fields says nothing, in the item neither.
 * `oldWire` reads the item that is there: it is asked for last, for what was changed in the item was changed in the
 * columns too, nearly always.
 */
export function sameColumns(old: OldColumns, next: ResourceColumns, oldWire: () => string): boolean {
  return (
    old.name === next.name &&
    old.namespace === next.namespace &&
    old.audience === next.audience &&
    sameJson(old.labels, next.labels) &&
    sameJson(old.spec, next.spec) &&
    sameJson(old.status, next.status) &&
    (old.hash === next.hash || sameItem(oldWire(), next.wire))
  );
}

function sameItem(a: string, b: string): boolean {
  return isItem(a) && isItem(b) && sameJson(a, b);
}

/** What is for nobody has no item: ''. */
function isItem(wire: string): boolean {
  return wire.startsWith('{');
}

function sameJson(a: string | null, b: string | null): boolean {
  if (a === b || a === null || b === null) return a === b;
  return a.length === b.length && sumOf(a) === sumOf(b) && isDeepStrictEqual(JSON.parse(a), JSON.parse(b));
}

/** The same in another order is written with the same characters. */
function sumOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}

/** What a line says, in bytes (`Holding.bytes`). */
export function bytesOf({ labels, spec, status }: Pick<ResourceColumns, 'labels' | 'spec' | 'status'>): number {
  return Buffer.byteLength(labels) + Buffer.byteLength(spec) + Buffer.byteLength(status ?? '');
}

/** What a line is to the feeds. */
export function feedState(columns: Pick<ResourceColumns, 'audience' | 'hash'> | undefined): FeedState {
  return columns === undefined ? ABSENT : { audience: columns.audience, hash: columns.hash };
}
