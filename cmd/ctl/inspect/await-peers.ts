import { setTimeout as pause } from 'node:timers/promises';
import { MeridianError } from '../../../src/errors.ts';
import { ask, listOf } from '../api/api-client.ts';
import type { Server } from '../api/server-address.ts';
import { withProgress } from '../terminal/progress.ts';
import { type PeerRow, toPeerRow } from './inspect-command.ts';

/** How often a control plane is asked, ms. */
const EVERY = 250;

/**
 * Waits until every peer has taken all that this control plane holds for it. Gives the peers. Throws `unavailable`
 * after `seconds`, naming those that have not.
 *
 *   east has all, west lacks 2 revisions  ->  asked again: `in 1 of 2 zones; waiting for west (2 behind)`
 */
export async function awaitPeers(server: Server, seconds: number): Promise<readonly PeerRow[]> {
  const end = performance.now() + seconds * 1_000;
  return withProgress(async (progress) => {
    for (;;) {
      const peers = listOf(server, await ask(server, '/_sync'), 'peers').map(toPeerRow);
      const late = peers.filter(({ behind }) => behind !== 0);
      if (late.length === 0) return peers;
      const waiting = late.map(({ zone, online, behind }) => `${zone} (${online ? `${behind ?? 'all'} behind` : 'offline'})`).join(', ');
      if (performance.now() >= end)
        throw new MeridianError('unavailable', `not in all zones after ${seconds} s: still waiting for ${waiting}`, {
          hint: 'it arrives when they are back; `meridianctl status` says how they stand',
        });
      progress.say(`in ${peers.length - late.length} of ${peers.length} zones; waiting for ${waiting}`);
      await pause(EVERY);
    }
  });
}
