import type { Command } from 'commander';
import { hasRole } from '../../../src/policy/policy-role.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { Kind } from '../../../src/resource/kinds.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import type { Server } from '../api/server-address.ts';
import { type Options, optionsOf } from '../input/options.ts';
import { growingTable } from '../terminal/growing-table.ts';
import { isTable, note, print, standardLayout, toJson, toYaml, write } from '../terminal/output.ts';
import { untilStopped } from '../terminal/until-stopped.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { formatAge } from '../terminal/age.ts';
import type { Cell } from '../terminal/table.ts';
import { type NarrowOptions, narrow } from './narrow-items.ts';
import { nameLine, readResourceView, toDocument } from './resource-view.ts';
import { follow } from './watch-stream.ts';

/** What `get -w` follows. */
export interface WatchedItems {
  readonly kind: Kind;
  /** '' for all meshes. */
  readonly mesh: string;
  /** Only these, by their KRIs. */
  readonly kris?: ReadonlySet<string> | undefined;
  readonly narrowed: NarrowOptions;
}

/** How long what is there already is waited for, ms, where others write all the time. */
const FIRST_ROWS = 1_000;

/**
 * `get -w`, until it is stopped: what is there, then a row for each change, with `deleted` for its age once it is gone,
 * or does not meet the selection any more.
 */
export async function watchItems(server: Server, watched: WatchedItems, command: Command): Promise<void> {
  const stop = untilStopped();
  const { kind, mesh } = watched;
  const shown = new ShownItems(watched, printer(optionsOf(command), watched));
  const query = { type: kind.type, mesh: mesh || undefined };
  await follow(server, query, undefined, stop, {
    message: (text) => shown.take(JSON.parse(text)),
    away: (reason) => note(printable(`${server.url}: ${reason}; trying again`)),
  });
  await shown.printed;
}

/** What is printed of an item; `gone`: it was there. */
interface ShownItem {
  readonly item: JsonObject;
  readonly gone: boolean;
}

/** Keeps what was shown, so that the end of each is. */
class ShownItems {
  /** All that was printed so far is out. */
  printed: Promise<void> = Promise.resolve();
  readonly #watched: WatchedItems;
  readonly #print: (rows: readonly ShownItem[]) => Promise<void>;
  /** By KRI, with the revision of its last change. */
  readonly #there = new Map<string, { readonly item: JsonObject; readonly revision: string }>();
  /** What is there already, until all of it has come. */
  #first: ShownItem[] | undefined = [];
  /** After a reset: what is not named again is gone. */
  #unnamed: Set<string> | undefined;

  constructor(watched: WatchedItems, print: (rows: readonly ShownItem[]) => Promise<void>) {
    this.#watched = watched;
    this.#print = print;
    setTimeout(() => this.#printFirst(), FIRST_ROWS).unref();
  }

  take(message: unknown): void {
    if (!isObject(message)) return;
    const { op, kri, revision, resource } = message as JsonObject;
    if (op === 'put') this.#put(textOf(kri), textOf(revision), isObject(resource) ? (resource as JsonObject) : {});
    if (op === 'delete') this.#gone(textOf(kri));
    if (op === 'reset' && !this.#first) this.#unnamed = new Set(this.#there.keys());
    if (op === 'bookmark') this.#caughtUp();
  }

  #put(kri: string, revision: string, item: JsonObject): void {
    const { kris, narrowed } = this.#watched;
    this.#unnamed?.delete(kri);
    if ((kris && !kris.has(kri)) || narrow([item], narrowed).length === 0) return this.#gone(kri);
    const isNew = this.#there.get(kri)?.revision !== revision;
    this.#there.set(kri, { item, revision });
    if (isNew) this.#show({ item, gone: false });
  }

  #gone(kri: string): void {
    const known = this.#there.get(kri);
    if (known && this.#there.delete(kri)) this.#show({ item: known.item, gone: true });
  }

  #caughtUp(): void {
    this.#printFirst();
    for (const kri of this.#unnamed ?? []) this.#gone(kri);
    this.#unnamed = undefined;
  }

  #show(row: ShownItem): void {
    if (this.#first) this.#first.push(row);
    else this.#enqueue([row]);
  }

  #printFirst(): void {
    const rows = this.#first;
    this.#first = undefined;
    if (rows) this.#enqueue(rows);
  }

  /** YAML is written by a library that is loaded first: what came earlier stands earlier. */
  #enqueue(rows: readonly ShownItem[]): void {
    this.printed = this.printed.then(() => this.#print(rows));
  }
}

/** Prints rows in the format that was asked for. Scripts get each resource as it is, and one that is gone as it was. */
function printer(options: Options, watched: WatchedItems): (rows: readonly ShownItem[]) => Promise<void> {
  const { output } = options;
  const layout = standardLayout(options);
  const format = growingTable(columnsOf(watched), layout);
  return async (rows) => {
    if (isTable(output)) {
      if (rows.length === 0) note(`no ${watched.kind.plural} yet`);
      return write(format(rows.map((row) => toRow(row, watched))));
    }
    for (const { item, gone } of rows) {
      if (output === 'name') write(nameLine(item));
      else if (output === 'json') write(`${toJson({ op: gone ? 'delete' : 'put', resource: item }, 0)}\n`);
      else if (output === 'yaml') write(`---\n${await toYaml(toDocument(item))}`);
      else await print(options, item, () => '');
    }
  };
}

function columnsOf({ kind, mesh }: WatchedItems): string[] {
  const inMesh = kind.scope === 'Mesh';
  return [
    ...(inMesh && mesh === '' ? ['MESH'] : []),
    'NAME',
    ...(inMesh ? ['NAMESPACE'] : []),
    ...(hasRole(kind) ? ['ROLE'] : []),
    'ORIGIN',
    'AGE',
  ];
}

function toRow({ item, gone }: ShownItem, watched: WatchedItems): Cell[] {
  const view = readResourceView(item);
  const cells: Readonly<Record<string, Cell>> = {
    MESH: view.mesh,
    NAME: view.name,
    NAMESPACE: view.namespace,
    ROLE: view.role,
    ORIGIN: view.zone || 'global',
    AGE: gone ? { text: 'deleted', colour: 'red' } : formatAge(item.creationTime, Date.now()),
  };
  return columnsOf(watched).map((column) => cells[column] ?? '');
}
