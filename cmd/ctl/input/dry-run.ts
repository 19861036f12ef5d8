import { InvalidArgumentError } from 'commander';

/** The value of --dry-run, as kubectl has it: only the control plane can tell what would become of a document. */
export function parseDryRun(where: string): true {
  if (where === 'server') return true;
  throw new InvalidArgumentError('A dry run is made by the control plane: leave the value out. `meridianctl lint` asks none.');
}
