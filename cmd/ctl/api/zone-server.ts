import { type Command, Option } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { nearest } from '../../../src/resource/documents/nearest-word.ts';
import { type ControlPlane, contextsPath, readContexts } from '../contexts/file.ts';
import { optionsOf } from '../input/options.ts';
import { type Server, serverAt, serverOf } from './server-address.ts';

/** For commands that only read. */
export function zoneOption(): Option {
  return new Option('--zone <zone>', 'ask this zone itself, at the address of its context (`config control-planes add --zone-of`)');
}

/**
 * The control plane that a command reads from: with `--zone` a zone of the global of `--context`, or of the current
 * one. Only a context says where a zone is and which token opens it: what a zone says of itself would send people's
 * tokens wherever it likes (docs/decisions/0021-contexts-say-where-zones-are.md). Variables are for another address.
 * Throws what `serverOf` does, and `not_found` for a zone without a context.
 */
export function readServerOf(command: Command): Server {
  const { zone } = command.opts<{ zone?: string }>();
  if (zone === undefined) return serverOf(command);
  const { url, context } = optionsOf(command);
  if (url !== undefined && context === undefined)
    command.error('error: --zone looks among the contexts: say which global with --context, not by an address (--url, MERIDIAN_URL)');
  return serverAt(command, findZone(zone, context));
}

function findZone(zone: string, context: string | undefined): ControlPlane {
  const path = contextsPath();
  const { current, controlPlanes } = readContexts(path);
  const name = context ?? current;
  const chosen = controlPlanes.find((one) => one.name === name);
  // A zone's own context stands for its global.
  const global = chosen?.zoneOf ?? name;
  if (global === undefined || !chosen)
    throw new MeridianError(
      'not_found',
      name === undefined ? `no control plane is current in ${path}` : `there is no context ${name} in ${path}`,
      {
        hint: 'add the global first: `meridianctl config control-planes add --name NAME --address URL`',
      },
    );
  const zones = controlPlanes.filter(({ zoneOf }) => zoneOf === global);
  const found = zones.find((one) => one.zone === zone);
  if (found) return found;
  const near = nearest(
    zone,
    zones.flatMap((one) => one.zone ?? []),
  );
  const hint =
    near === undefined
      ? `add it: \`meridianctl config control-planes add --name ${global}-${zone} --address URL --token-file FILE --zone-of ${global}\``
      : `did you mean --zone ${near}?`;
  throw new MeridianError('not_found', `no context says where zone ${zone} of ${global} is`, { hint });
}
