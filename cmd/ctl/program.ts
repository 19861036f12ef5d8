import { Command } from 'commander';
import { readVersion } from '../version.ts';
import { addAccess } from './offline/access-command.ts';
import { addApiResources } from './kinds/api-resources-command.ts';
import { addExplain } from './kinds/explain-command.ts';
import { addVersion } from './inspect/version-command.ts';
import { addApply } from './resources/apply-command.ts';
import { addAudit } from './inspect/audit-command.ts';
import { addBackup } from './operate/backup-command.ts';
import { addCan } from './inspect/can-command.ts';
import { addCompletion } from './completion/completion.ts';
import { addConfig } from './contexts/config.ts';
import { addConvert } from './offline/convert-command.ts';
import { addDecide } from './offline/decide-command.ts';
import { addDelete } from './resources/delete-command.ts';
import { addDescribe } from './inspect/describe-command.ts';
import { addDiff } from './diff/diff-command.ts';
import { addEdit } from './resources/edit-command.ts';
import { addEnvoy } from './operate/envoy-command.ts';
import { addExport } from './resources/export-command.ts';
import { addGet } from './resources/get-command.ts';
import { addImport } from './kuma/import-command.ts';
import { addInspect } from './inspect/inspect-command.ts';
import { addLedger } from './inspect/ledger-command.ts';
import { addLint } from './offline/lint-command.ts';
import { addName } from './offline/name-command.ts';
import { addOptions, optionsOf } from './input/options.ts';
import { addRecover } from './operate/recover-command.ts';
import { addShapes } from './output-shapes.ts';
import { addStatus } from './inspect/status-command.ts';
import { addToken } from './operate/token-command.ts';
import { addWait } from './inspect/wait-command.ts';
import { addWatch } from './resources/watch-command.ts';
import { addZone } from './operate/zone-command.ts';

const COMMANDS = [
  addApply,
  addDiff,
  addGet,
  addDescribe,
  addEdit,
  addDelete,
  addExport,
  addImport,
  addStatus,
  addInspect,
  addCan,
  addLedger,
  addWait,
  addWatch,
  addAudit,
  addEnvoy,
  addZone,
  addToken,
  addConfig,
  addRecover,
  addBackup,
  addLint,
  addName,
  addDecide,
  addAccess,
  addConvert,
  addApiResources,
  addExplain,
  addVersion,
  addCompletion,
];

/**
 * The command line, complete and not yet run: what runs it, documents it and completes it (command-reference.ts,
 * completion/) is made from it.
 */
export function createProgram(): Command {
  const program = new Command('meridianctl')
    .description('Talks to the control planes of Meridian: global and the zones.')
    .version(readVersion())
    .exitOverride()
    // Told by tellFailure, in the format that was asked for.
    .configureOutput({ outputError: () => {} })
    .hook('preAction', (_, command) => refuseForms(command));
  addOptions(program);
  for (const add of COMMANDS) add(program);
  addShapes(program);
  return program;
}

function refuseForms(command: Command): void {
  const { output } = optionsOf(command);
  if ((output === 'explicit' || output === 'name') && command.name() !== 'get') command.error(`error: -o ${output} is for \`get\` alone`);
}
