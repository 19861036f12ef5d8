import { displayName } from '../resources/kri.ts';
import { type CallerKind, callerWords } from './words.ts';

/** The letters of `GET /meshes/{mesh}/_matrix`. */
export type CellLetter = 'A' | 'D' | 'a' | 'd' | 'p';

export interface CallerRow {
  readonly kind: CallerKind;
  readonly name: string;
  readonly sans: readonly string[];
  readonly dataplanes: number;
  /** Of `dataplanes`: which services those are of. */
  readonly services?: readonly { readonly zone: string; readonly service: string }[];
}

export interface InboundColumn {
  readonly kri: string;
  readonly dataplane: string;
  readonly zone: string;
  readonly service: string;
  readonly inbound: string;
  readonly enforced: boolean;
}

/** The answer of the API. */
export interface VerdictMatrix {
  readonly callers: { readonly total: number; readonly items: readonly CallerRow[] };
  readonly inbounds: { readonly total: number; readonly items: readonly InboundColumn[] };
  readonly verdicts: readonly string[];
}

/** In words, for who does not see the shapes. */
export const MEANING: Readonly<Record<CellLetter, string>> = {
  A: 'Allow',
  D: 'Deny',
  a: 'Allow, in shadow Deny',
  d: 'Deny, in shadow Allow',
  p: 'Depends on method or path',
};

export const LETTERS = ['A', 'D', 'p', 'a', 'd'] as const satisfies readonly CellLetter[];

/** What stands in one row or column: one, or several that are told alike. */
interface Alike<T> {
  readonly first: T;
  readonly count: number;
  /** The place of the first in the answer. */
  readonly at: number;
}

/** A matrix as it is shown. */
export interface ShownMatrix {
  readonly rows: readonly Alike<CallerRow>[];
  readonly columns: readonly Alike<InboundColumn>[];
  cell(row: number, column: number): CellLetter;
}

/**
 * With `alike`, proxies of one zone as callers, and inbounds of one service, stand together where no verdict tells them
 * apart.
 */
export function arrange({ callers, inbounds, verdicts }: VerdictMatrix, alike: boolean): ShownMatrix {
  const columnText = (at: number): string => verdicts.map((row) => row.charAt(at)).join('');
  const columns = together(inbounds.items, alike, ({ zone, service, inbound, enforced }, at) =>
    service === '' ? `${at}` : [zone, service, inbound, enforced, columnText(at)].join(' '),
  );
  const rows = together(callers.items, alike, ({ kind, sans }, at) =>
    kind === 'dataplanes' ? `${sans.length > 1} ${/^spiffe:\/\/[^/]*/.exec(sans[0] ?? '')?.[0]} ${verdicts[at]}` : `${at}`,
  );
  const places = columns.map(({ at }) => at);
  return {
    rows,
    columns,
    cell: (row, column) => toLetter(verdicts[rows[row]?.at ?? 0]?.charAt(places[column] ?? 0)),
  };
}

function together<T>(items: readonly T[], alike: boolean, idOf: (one: T, at: number) => string): Alike<T>[] {
  if (!alike) return items.map((first, at) => ({ first, at, count: 1 }));
  const found = new Map<string, { first: T; at: number; count: number }>();
  for (const [at, first] of items.entries()) {
    const known = found.get(idOf(first, at));
    if (known) known.count++;
    else found.set(idOf(first, at), { first, at, count: 1 });
  }
  return [...found.values()];
}

/** What is not known is taken to be denied. */
export function toLetter(text: string | undefined): CellLetter {
  return LETTERS.find((letter) => letter === text) ?? 'D';
}

/** What a caller is called, for people. */
export function callerText({ kind, name }: CallerRow): string {
  return callerWords(kind, name);
}

/** The same where there is little room: `default/ns/shop/*` is all below that. */
export function shortCaller(caller: CallerRow): string {
  const { kind, name } = caller;
  const text = callerText(caller).replace('spiffe://', '');
  return kind === 'prefix' ? `${name.replace('spiffe://', '')}/*` : text;
}

/** The display name, which is that of the KRI (`kri_dp_default_east__backend_8080`), and the port. */
export function inboundText({ kri, inbound }: InboundColumn): string {
  return `${displayName(kri)}:${inbound}`;
}

/** How often each verdict is there, of all that the answer has. */
export function counted({ verdicts }: VerdictMatrix): ReadonlyMap<CellLetter, number> {
  const counts = new Map<CellLetter, number>();
  for (const row of verdicts) for (const letter of row) counts.set(toLetter(letter), (counts.get(toLetter(letter)) ?? 0) + 1);
  return counts;
}
