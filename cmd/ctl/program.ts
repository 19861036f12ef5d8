import { Command } from 'commander';
import { readVersion } from '../version.ts';
import { addAccess } from './access.ts';
import { addApply } from './apply.ts';
import { addAudit } from './audit.ts';
import { addCan } from './can.ts';
import { addCompletion } from './completion/completion.ts';
import { addConfig } from './contexts/config.ts';
import { addConvert } from './convert.ts';
import { addDecide } from './decide.ts';
import { addDelete } from './delete.ts';
import { addDiff } from './diff/diff.ts';
import { addEnvoy } from './envoy.ts';
import { addExport } from './export.ts';
import { addGet } from './get.ts';
import { addImport } from './kuma/import.ts';
import { addInspect } from './inspect.ts';
import { addLedger } from './ledger.ts';
import { addLint } from './lint.ts';
import { addName } from './name.ts';
import { addOptions, optionsOf } from './options.ts';
import { addRecover } from './recover.ts';
import { addShapes } from './shapes.ts';
import { addToken } from './token.ts';
import { addWatch } from './watch.ts';
import { addZone } from './zone.ts';

const COMMANDS = [
  addApply,
  addDiff,
  addGet,
  addDelete,
  addExport,
  addImport,
  addInspect,
  addCan,
  addLedger,
  addWatch,
  addAudit,
  addEnvoy,
  addZone,
  addToken,
  addConfig,
  addRecover,
  addLint,
  addName,
  addDecide,
  addAccess,
  addConvert,
  addCompletion,
];

/**
 * The command line, complete and not yet run: what runs it, documents it and completes it (reference.ts, completion/)
 * is made from it.
 */
export function createProgram(): Command {
  const program = new Command('meridianctl')
    .description('Talks to the control planes of Meridian: global and the zones.')
    .version(readVersion())
    .exitOverride()
    // Told by tellFailure, in the format that was asked for.
    .configureOutput({ outputError: () => {} })
    .hook('preAction', (_, command) => refuseExplicit(command));
  addOptions(program);
  for (const add of COMMANDS) add(program);
  addShapes(program);
  return program;
}

function refuseExplicit(command: Command): void {
  if (optionsOf(command).output === 'explicit' && command.name() !== 'get') command.error('error: -o explicit is for `get` alone');
}
