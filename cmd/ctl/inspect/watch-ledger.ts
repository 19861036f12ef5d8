import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { type ApiRequest, ask, askAll } from '../api/api-client.ts';
import type { Server } from '../api/server-address.ts';
import { optionsOf } from '../input/options.ts';
import { growingTable } from '../terminal/growing-table.ts';
import { isTable, note, standardLayout, toJson, write } from '../terminal/output.ts';
import { untilStopped } from '../terminal/until-stopped.ts';
import { printable, textOf } from '../terminal/printable.ts';
import type { Cell, Column } from '../terminal/table.ts';

/** What `ledger -w` follows, and how it is shown. */
interface WatchedLedger {
  readonly query: ApiRequest['query'];
  /** undefined: any. */
  readonly state: string | undefined;
  readonly columns: readonly Column[];
  readonly toRow: (entry: JsonObject, now: number) => Cell[];
}

/** How often it is looked whether anything changed, ms. The ledger itself is read only then. */
const EVERY = 1_000;

/**
 * `ledger -w`, until it is stopped: the entries of a state (undefined: all), then a row for each that changes, comes to
 * that state or leaves it. What was deleted everywhere is `gone`.
 */
export async function watchLedger(server: Server, { query, state, columns, toRow }: WatchedLedger, command: Command): Promise<void> {
  const stop = untilStopped();
  const options = optionsOf(command);
  const format = growingTable(columns, standardLayout(options));
  let [status, known, isFirst] = ['', new Map<string, JsonObject>(), true];
  while (!stop.aborted) {
    try {
      const now = await syncStatusOf(server);
      if (now !== status) {
        const entries = new Map((await askAll(server, '/_ledger', query)).map((entry) => [idOf(entry), entry]));
        const rows = changed(known, entries, state);
        if (isTable(options.output)) {
          if (rows.length > 0 || isFirst) write(format(rows.map((entry) => toRow(entry, Date.now()))));
        } else write(rows.map((entry) => `${toJson(entry, 0)}\n`).join(''));
        [status, known, isFirst] = [now, entries, false];
      }
    } catch (thrown) {
      if (isFirst || !(thrown instanceof MeridianError && thrown.code === 'unavailable')) throw thrown;
      note(printable(`${thrown.message}; trying again`));
    }
    await pause(EVERY, undefined, { signal: stop }).catch(() => {}); // stopped while it waits
  }
}

/** What is the same as long as nothing in the ledger changes. */
async function syncStatusOf(server: Server): Promise<string> {
  return JSON.stringify(await ask(server, '/_sync'), (field, value: unknown) => (field === 'lastSeen' ? undefined : value));
}

function idOf({ kri, peer }: JsonObject): string {
  return JSON.stringify([kri, peer]);
}

/** The entries that are not as they were, of those that are in the state that is looked at, or were. */
function changed(before: ReadonlyMap<string, JsonObject>, now: ReadonlyMap<string, JsonObject>, state: string | undefined): JsonObject[] {
  const isMeant = (entry: JsonObject | undefined) => entry !== undefined && (state === undefined || entry.state === state);
  const here = [...now].filter(([id, entry]) => {
    const earlier = before.get(id);
    return (isMeant(entry) || isMeant(earlier)) && (!earlier || wordOf(entry) !== wordOf(earlier));
  });
  const gone = [...before].filter(([id, entry]) => !now.has(id) && isMeant(entry));
  return [...here.map(([, entry]) => entry), ...gone.map(([, { reason: _, since: __, ...entry }]) => ({ ...entry, state: 'gone' }))];
}

function wordOf({ state, reason, deleted }: JsonObject): string {
  return JSON.stringify([textOf(state), textOf(reason), deleted === true]);
}
