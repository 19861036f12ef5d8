import type { Command } from 'commander';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { optionsOf } from '../input/options.ts';
import { formatAge } from '../terminal/age.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { type Cell, type TableLayout, formatTable, wraps } from '../terminal/table.ts';

/** No turn should take longer, ms. */
const LONG = 100;

export function addInspectTurns(inspect: Command): void {
  inspect
    .command('turns')
    .summary('what kept the event loop of a control plane longest')
    .description(
      `Shows which work kept the event loop of a control plane longest since its start, the longest first. No turn should take longer than ${LONG} ms: all else waits meanwhile.`,
    )
    .addOption(zoneOption())
    .action(async (_: object, command: Command) => {
      const server = readServerOf(command);
      const turns = listOf(server, await ask(server, '/_turns'), 'turns');
      if (turns.length === 0 && isTable(optionsOf(command).output)) return note('nothing kept the event loop for 10 ms since the start');
      await print(optionsOf(command), { turns }, (paper) => formatTurns(turns, paper));
    });
}

function formatTurns(turns: readonly JsonObject[], paper: TableLayout): string {
  const now = Date.now();
  const rows = turns.map(({ work, about, milliseconds, at, long }): Cell[] => {
    const took = Number(milliseconds);
    const shown = `${took.toFixed(0)} ms`;
    return [textOf(work), textOf(about), took > LONG ? { text: shown, colour: 'red' } : shown, textOf(long), `${formatAge(at, now)} ago`];
  });
  return formatTable(['WORK', wraps('ABOUT'), 'LONGEST', `OVER ${LONG} MS`, 'WHEN'], rows, paper);
}
