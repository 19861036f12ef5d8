import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { addInspectDataplanes } from './inspect-dataplanes.ts';
import { addInspectTurns } from './inspect-turns.ts';
import { optionsOf } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { formatAge } from '../terminal/age.ts';
import { textOf } from '../terminal/printable.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { type Cell, type Column, type TableLayout, below, context, formatTable } from '../terminal/table.ts';

/** How the control plane that is asked stands with one of its peers. */
export interface PeerRow {
  /** `global`, where a zone is asked. */
  readonly zone: string;
  readonly online: boolean;
  /** All that the peer announced is here. */
  readonly upToDate: boolean;
  /** How many of the peer's resources were refused here. */
  readonly refused: number;
  /** How many revisions the peer has yet to take; null: it never took any, or the counts don't compare. */
  readonly behind: number | null;
  readonly environment: string | null;
  /** When it was heard last; null: not since the control plane that is asked was started. */
  readonly lastSeen: string | null;
  readonly version: string | null;
  /** Why nothing is exchanged, or what waits for an operator's word. */
  readonly reason: string | null;
}

export function addInspect(program: Command): void {
  const inspect = program.command('inspect').description('Shows how things stand.');
  addInspectDataplanes(inspect);
  addInspectTurns(inspect);
  inspect
    .command('zones')
    .description('Shows each zone as global sees it; on a zone, how it sees global.')
    .addOption(zoneOption())
    .action(async (_: object, command: Command) => {
      const { output } = optionsOf(command);
      const server = readServerOf(command);
      const answer = await ask(server, '/_sync');
      const rows = listOf(server, answer, 'peers').map(toPeerRow);
      if (isObject(answer)) warnOfStore(answer);
      if (rows.length === 0 && isTable(output))
        return note('nobody was ever connected: `meridianctl zone add NAME` gives a zone its credential');
      await print(optionsOf(command), { items: rows }, (paper) => formatPeers(rows, paper));
    });
}

/** Warns of what concerns the control plane that was asked. */
export function warnOfStore({ diverged, ended }: JsonObject): void {
  if (textOf(diverged)) note(`warning: this control plane sends nothing: ${textOf(diverged)}; run \`meridianctl recover\``);
  if (textOf(ended)) note(`warning: this process has stopped syncing: ${textOf(ended)}`);
}

export function toPeerRow(peer: JsonObject): PeerRow {
  const { about } = peer;
  return {
    zone: textOf(peer.peer),
    online: peer.online === true,
    upToDate: peer.upToDate === true,
    refused: countOf(peer.refusedCount, peer.refused),
    behind: behind(peer.head, isObject(peer.ack) ? peer.ack.position : undefined),
    environment: (isObject(about) && textOf(about.environment)) || null,
    lastSeen: textOf(peer.lastSeen) || null,
    version: (isObject(about) && textOf(about.version)) || null,
    reason: reasonOf(peer),
  };
}

/** The list may be only the first of it; an older control plane lists all, and does not count. */
function countOf(count: JsonValue | undefined, list: JsonValue | undefined): number {
  if (typeof count === 'number') return count;
  return Array.isArray(list) ? list.length : 0;
}

/**
 * Revisions count one store's commits in one term; a mirror with the same content lacks nothing, whatever its revision.
 */
function behind(head: JsonValue | undefined, position: JsonValue | undefined): number | null {
  if (!isObject(head) || !isObject(position) || head.store !== position.store || head.term !== position.term) return null;
  if (head.digest === position.digest && head.count === position.count) return 0;
  const revisions = Number(head.revision) - Number(position.revision);
  return revisions > 0 ? revisions : null;
}

function reasonOf({ peer, stopped, notTaken, ack, absent, absentCount }: JsonObject): string | null {
  if (isObject(stopped)) return textOf(stopped.message) || textOf(stopped.code) || null;
  const untaken = textOf(notTaken) || (isObject(ack) && textOf(ack.notTaken)) || '';
  if (untaken !== '') return `not taken: ${untaken}`;
  const left = countOf(absentCount, absent);
  if (left === 0) return null;
  return `${left} kept from an earlier store: see \`meridianctl recover --drop-absent ${textOf(peer)}\``;
}

/** Left out where it is the same for all, and where there is no room. */
function sparingly(heading: string): Column {
  return { heading, context: true, spare: true };
}

/** A line for each peer. */
export function formatPeers(rows: readonly PeerRow[], paper: TableLayout): string {
  const now = Date.now();
  const columns: Column[] = [
    'ZONE',
    'ONLINE',
    'UP TO DATE',
    'REFUSED',
    'BEHIND',
    context('LAST SEEN'),
    ...['VERSION', 'ENVIRONMENT'].map(sparingly),
  ];
  return formatTable(
    [...columns, below('REASON')],
    rows.map((row) => toCells(row, now)),
    paper,
  );
}

/** Who is online was seen just now, whichever moment that was. */
export function seenCell({ online, lastSeen }: Pick<PeerRow, 'online' | 'lastSeen'>, now: number): string {
  const age = formatAge(lastSeen, now);
  return online ? 'now' : age && `${age} ago`;
}

function toCells(row: PeerRow, now: number): Cell[] {
  const { zone, online, upToDate, refused, behind: revisions, environment, version, reason } = row;
  const count: Cell = refused === 0 ? '0' : { text: String(refused), colour: 'red' };
  const about = [seenCell(row, now), version ?? '', environment ?? '', reason ?? ''];
  return [zone, yesNo(online), yesNo(upToDate), count, textOf(revisions), ...about];
}

export function yesNo(value: boolean): Cell {
  return value ? { text: 'yes', colour: 'green' } : { text: 'no', colour: 'red' };
}
