import { type Command, Option } from 'commander';
import { collectWritten } from '../documents/collect-documents.ts';
import { formatAt, formatDocument, type YamlFormat } from '../documents/write-documents.ts';
import { isGiven, optionsOf } from '../input/options.ts';
import { note, toJson, toYaml, write } from '../terminal/output.ts';
import { placeOf } from '../api/server-place.ts';
import { withProgress } from '../terminal/progress.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';

const HELP = `
What came from other control planes is not among it: export it there. Labels, times and namespaces that a control plane computes are left out, and the
order is always the same, so that an export can be kept in git, and applied to an empty control plane of the same place gives the same export.
Credentials and tokens are no resources: keep the data directory for those.`;

export function addExport(program: Command): void {
  program
    .command('export')
    .summary('print all that users wrote at a control plane, to be applied again')
    .description('Prints all that users wrote at a control plane (of one mesh with -m) as documents that `apply` takes, meshes first.')
    .addOption(new Option('--format <format>', 'of the documents (not said: what is usual there)').choices(['universal', 'kubernetes']))
    .addHelpText('after', HELP)
    .addOption(zoneOption())
    .action(async ({ format }: { format?: YamlFormat }, command: Command) => {
      const { output, mesh } = optionsOf(command);
      const server = readServerOf(command);
      const place = await placeOf(server);
      const written = await withProgress((progress) => collectWritten(server, place, isGiven(command, 'mesh') ? mesh : '', progress));
      const documents = written.map((draft) => formatDocument(draft, format ?? formatAt(place), place));
      if (output === 'json') return write(`${toJson(documents)}\n`);
      if (documents.length === 0) return note('nothing was written here');
      write((await Promise.all(documents.map(toYaml))).join('---\n'));
    });
}
