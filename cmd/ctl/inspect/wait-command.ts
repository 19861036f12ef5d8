import { type Command, InvalidArgumentError } from 'commander';
import type { Kind } from '../../../src/resource/kinds.ts';
import { askAll } from '../api/api-client.ts';
import { parseKindName } from '../api/kind-name.ts';
import { resourceTitle } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { optionsOf } from '../input/options.ts';
import { print } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { MeridianError } from '../../../src/errors.ts';
import { awaitPeers } from './await-peers.ts';

export const WAIT_SECONDS = 60;

export function addWait(program: Command): void {
  program
    .command('wait')
    .summary('wait until all that is here has arrived in every zone')
    .description(
      'Waits until every peer has taken all that this control plane holds for it. Fails for what a peer refused, and at the timeout.',
    )
    .argument('[kind]', 'only look for refusals of this kind', parseKindName)
    .option('--timeout <seconds>', 'how long to wait', parseSeconds, WAIT_SECONDS)
    .action(async (kind: Kind | undefined, { timeout }: { timeout: number }, command: Command) => {
      const server = serverOf(command);
      const peers = await awaitPeers(server, timeout);
      await refuseRefused(server, { type: kind?.type });
      const zones = peers.map(({ zone }) => zone);
      await print(optionsOf(command), { peers: zones }, () => `${saidOf(zones)}\n`);
    });
}

/** `in 2 zones: east, west`. */
export function saidOf(zones: readonly string[]): string {
  if (zones.length === 0) return 'there is no peer to wait for';
  return printable(`all is at ${zones.join(', ')}`);
}

/** Throws `conflict` where a peer has refused some of what matches, with the reasons. */
export async function refuseRefused(
  server: Server,
  query: Readonly<Record<string, string | undefined>>,
  isMeant: (kri: string) => boolean = () => true,
): Promise<void> {
  const entries = await askAll(server, '/_ledger', query);
  const refused = entries.filter(({ state, kri }) => state === 'refused' && isMeant(textOf(kri)));
  if (refused.length === 0) return;
  const problems = refused.map(({ type, mesh, name, peer, reason }) => ({
    field: resourceTitle(textOf(type), textOf(mesh), textOf(name)),
    reason: `${textOf(peer)} refused it: ${textOf(reason)}`,
  }));
  throw new MeridianError('conflict', `${refused.length} refused`, {
    problems,
    hint: 'what is in force instead stands in `meridianctl ledger --state refused`',
  });
}

export function parseSeconds(text: string): number {
  const seconds = /^\d{1,5}s?$/.test(text) ? Number.parseInt(text, 10) : 0;
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a number of seconds, like 60.');
}
