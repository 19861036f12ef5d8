import { Command } from 'commander';
import { readVersion } from '../version.js';
import { addAccess } from './access.js';
import { addApply } from './apply.js';
import { addAudit } from './audit.js';
import { addCan } from './can.js';
import { addCompletion } from './completion/completion.js';
import { addConfig } from './contexts/config.js';
import { addConvert } from './convert.js';
import { addDecide } from './decide.js';
import { addDelete } from './delete.js';
import { addDiff } from './diff/diff.js';
import { addEnvoy } from './envoy.js';
import { addExport } from './export.js';
import { addGet } from './get.js';
import { addImport } from './kuma/import.js';
import { addInspect } from './inspect.js';
import { addLedger } from './ledger.js';
import { addLint } from './lint.js';
import { addName } from './name.js';
import { addOptions, optionsOf } from './options.js';
import { addRecover } from './recover.js';
import { addShapes } from './shapes.js';
import { addToken } from './token.js';
import { addWatch } from './watch.js';
import { addZone } from './zone.js';

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

/** The command line, complete and not yet run: what runs it, documents it and completes it (reference.ts, completion/) is made from it. */
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
