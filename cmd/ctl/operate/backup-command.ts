import { join } from 'node:path';
import type { Command } from 'commander';
import { optionsOf } from '../input/options.ts';
import { note, print } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';

const HELP = `
Run it where the data directory is. It holds all that a control plane has, the keys of its tokens included: keep backups as secret.
To restore one: stop the control plane, remove meridian.db-wal and meridian.db-shm, put the backup in the place of meridian.db, start it, and
say \`meridianctl recover\` to it: until then it sends nothing, for others may hold what it has forgotten.`;

export function addBackup(program: Command): void {
  program
    .command('backup')
    .summary('copy the store of a control plane to a file (offline)')
    .description('Copies the store in a data directory to a new file, as it is at one moment, while its control plane runs or not.')
    .argument('<data-dir>', 'MERIDIAN_DATA_DIR of the control plane')
    .argument('<file>', 'the backup; it must not be there yet')
    .addHelpText('after', HELP)
    .action(async (folder: string, file: string, _: object, command: Command) => {
      const { backUpStore } = await import('../../../src/store/back-up-store.ts');
      const { bytes } = await backUpStore(folder, file);
      await print(optionsOf(command), { file, bytes }, () => printable(`${file}: ${(bytes / 1_000_000).toFixed(1)} MB`) + '\n');
      note(
        `to restore it: in the place of ${printable(join(folder, 'meridian.db'))} of the stopped control plane, then \`meridianctl recover\``,
      );
    });
}
