import { MeridianError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, listOf } from '../api/api-client.ts';
import type { Server } from '../api/server-address.ts';
import { formatAge } from '../terminal/age.ts';
import { textOf } from '../terminal/printable.ts';
import { type Cell, context, formatTable, type TableLayout } from '../terminal/table.ts';
import { type PeerRow, seenCell, toPeerRow, yesNo } from './inspect-command.ts';

export const NO_ZONES = 'no zones: `meridianctl zone add NAME` gives one its credential';

/** How the control plane that is asked stands with its peers; none where it can't tell. */
export async function peerRows(server: Server): Promise<readonly PeerRow[]> {
  try {
    return listOf(server, await ask(server, '/_sync'), 'peers').map(toPeerRow);
  } catch (thrown) {
    // The list of zones is what was asked for.
    if (thrown instanceof MeridianError) return [];
    throw thrown;
  }
}

/** A line for each Zone: what its resource says, and what `inspect zones` says of the same zone. */
export function formatZones(items: readonly JsonObject[], peers: readonly PeerRow[], paper: TableLayout): string {
  const now = Date.now();
  const rows = items.map(({ name, enabled, creationTime }): Cell[] => {
    const peer = peers.find(({ zone }) => zone === name);
    const seen = peer ? [yesNo(peer.online), seenCell(peer, now), peer.version ?? ''] : ['', '', ''];
    return [textOf(name), yesNo(enabled !== false), ...seen, formatAge(creationTime, now)];
  });
  return formatTable(['NAME', 'ENABLED', context('ONLINE'), context('LAST SEEN'), context('VERSION'), 'AGE'], rows, paper);
}
