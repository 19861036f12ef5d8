import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask } from '../api/api-client.ts';
import { withNearName } from '../api/near-name.ts';
import { resourcePath, resourceTitle } from '../api/resource-path.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { readSome } from '../documents/locate-document.ts';
import { sendDocuments } from '../documents/send-documents.ts';
import { optionsOf } from '../input/options.ts';
import { type NamedResource, namedResource } from '../input/resource-names.ts';
import { note, print, toYaml } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { toDocument } from './resource-view.ts';

export function addEdit(program: Command): void {
  program
    .command('edit')
    .summary('change a resource in your editor')
    .description(
      'Opens a resource as YAML in $VISUAL, $EDITOR or vi, and applies what was saved. A refused text is kept in a file that is named.',
    )
    .argument('<kind>', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), or KIND/NAME')
    .argument('[name]', 'its name in this store; on a kubernetes zone <name>.<namespace>')
    .action(async (kind: string, name: string | undefined, _: object, command: Command) => {
      const resource = namedResource(kind, name, command);
      await edit(serverOf(command), resource, command);
    });
}

async function edit(server: Server, resource: NamedResource, command: Command): Promise<void> {
  const { kind, mesh, name } = resource;
  const path = resourcePath(kind, mesh, name);
  const item = await withNearName(server, resource, () => ask(server, path));
  const before = await toYaml(toDocument(isObject(item) ? item : {}));
  const folder = mkdtempSync(join(tmpdir(), 'meridianctl-'));
  const file = join(folder, `${kind.type}-${name.replaceAll(/[^\w.-]/g, '_')}.yaml`);
  writeFileSync(file, before, { mode: 0o600 });
  openEditor(file);
  if (readFileSync(file, 'utf8') === before) {
    rmSync(folder, { recursive: true });
    return note('nothing was changed');
  }
  const result = await applyFile(server, file, command);
  rmSync(folder, { recursive: true });
  await print(optionsOf(command), result, () => `${resourceTitle(kind.type, mesh, name)} ${textOf(result?.outcome)}\n`);
}

/** Throws what the control plane refuses with; the hint names the file, so that nothing typed is lost. */
async function applyFile(server: Server, file: string, command: Command) {
  try {
    const { results } = await sendDocuments(server, await readSome([file]), { dryRun: false, output: optionsOf(command).output });
    return results[0];
  } catch (thrown) {
    if (!(thrown instanceof MeridianError)) throw thrown;
    const { code, message, problems } = thrown;
    throw new MeridianError(code, message, { problems, hint: `your text is in ${file}: mend it, then \`meridianctl apply -f ${file}\`` });
  }
}

/** As git does: through a shell, since the variable may hold options. Throws `invalid` when the editor fails. */
function openEditor(file: string): void {
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi';
  const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (status !== 0)
    throw new MeridianError('invalid', `the editor ${editor} failed: nothing was applied`, { hint: 'set EDITOR', cause: error });
}
