import type { Command } from 'commander';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue, Place } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import { resourceTitle } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { placeOf } from '../api/server-place.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import type { TableLayout } from '../terminal/table.ts';
import { formatPeers, type PeerRow, toPeerRow, warnOfStore } from './inspect-command.ts';

/** What a control plane is and how it stands with its peers. */
interface PlaneStatus {
  readonly url: string;
  readonly place: Place;
  readonly version: string;
  readonly peers: readonly PeerRow[];
  /** What this side refused, of all peers. */
  readonly refused: readonly RefusedRow[];
}

interface RefusedRow {
  readonly peer: string;
  readonly type: string;
  readonly mesh: string;
  readonly name: string;
  readonly reason: string;
}

/** How many refused items are named before the rest is counted. */
const NAMED = 5;

export function addStatus(program: Command): void {
  program
    .command('status')
    .summary('how things stand, on one screen')
    .description('Says in a sentence how a control plane stands with its peers, then a line for each: what is late, what was refused.')
    .addOption(zoneOption())
    .action(async (_: object, command: Command) => {
      const status = await readStatus(readServerOf(command));
      const { url, place, version, peers, refused } = status;
      const json = {
        url,
        zone: place.zone || 'global',
        environment: place.environment,
        version,
        ...countPeers(peers),
        peers,
        refusedItems: refused,
      };
      await print(optionsOf(command), json, (paper) => formatStatus(status, paper));
    });
}

async function readStatus(server: Server): Promise<PlaneStatus> {
  const [place, index, sync] = await Promise.all([placeOf(server), ask(server, '/'), ask(server, '/_sync')]);
  const implementation = isObject(index) && isObject(index.implementation) ? index.implementation : {};
  if (isObject(sync)) warnOfStore(sync);
  const peers = listOf(server, sync, 'peers');
  return {
    url: server.url,
    place,
    version: textOf(implementation.version),
    peers: peers.map(toPeerRow),
    refused: peers.flatMap(refusedOf),
  };
}

function refusedOf({ peer, refused }: JsonObject): RefusedRow[] {
  const items: readonly JsonValue[] = Array.isArray(refused) ? refused : [];
  return items.filter(isObject).map((item) => {
    const { type, mesh, name, reason } = item as JsonObject;
    return { peer: textOf(peer), type: textOf(type), mesh: textOf(mesh), name: textOf(name), reason: textOf(reason) };
  });
}

/** How many of the peers are well, and how many are not, by what ails them. */
function countPeers(peers: readonly PeerRow[]) {
  return {
    known: peers.length,
    offline: peers.filter(({ online }) => !online).length,
    late: peers.filter(({ upToDate, behind }) => !upToDate || behind !== 0).length,
    refused: peers.reduce((sum, { refused }) => sum + refused, 0),
  };
}

function formatStatus({ url, place, version, peers, refused }: PlaneStatus, paper: TableLayout): string {
  const who = place.zone === '' ? 'global' : `zone ${place.zone}`;
  const head = `${who} (${place.environment}, Meridian ${version}) at ${url}\n`;
  return `${printable(head.trimEnd())}\n${sentence(place, peers)}\n${peers.length > 0 ? `\n${formatPeers(peers, paper)}` : ''}${formatRefused(refused)}`;
}

function formatRefused(items: readonly RefusedRow[]): string {
  if (items.length === 0) return '';
  const lines = items
    .slice(0, NAMED)
    .map(({ peer, type, mesh, name, reason }) => printable(`refused of ${peer}: ${resourceTitle(type, mesh, name)}: ${reason}`));
  const more = items.length > NAMED ? [`and ${items.length - NAMED} more: -o json has them all`] : [];
  return `\n${[...lines, ...more].join('\n')}\n`;
}

function zonesInWords(count: number): string {
  if (count === 1) return 'the only zone';
  return count === 2 ? 'both zones' : `all ${count} zones`;
}

/** The whole in a sentence. */
function sentence(place: Place, peers: readonly PeerRow[]): string {
  const { known, offline, late, refused } = countPeers(peers);
  if (known === 0)
    return place.zone === ''
      ? 'no zone was ever connected: `meridianctl zone add NAME` gives one its credential'
      : 'global was never heard of';
  const whom = place.zone === '' ? zonesInWords(known) : 'global';
  const parts = [
    ...(offline > 0 ? [`${offline} of ${known} offline`] : []),
    ...(late > 0 ? [`${late} of ${known} not up to date`] : []),
    ...(refused > 0 ? [`${refused} refused here`] : []),
  ];
  return parts.length === 0 ? `in step with ${whom}` : parts.join('; ');
}
