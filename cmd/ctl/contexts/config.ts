import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask } from '../api/api-client.ts';
import { isGiven, optionsOf, parseUrl } from '../input/options.ts';
import { isTable, note, print } from '../terminal/output.ts';
import { textOf } from '../terminal/printable.ts';
import { readToken, refuseClearToken, type Server } from '../api/server-address.ts';
import { placeOf } from '../api/server-place.ts';
import { readSource } from '../documents/document-sources.ts';
import { formatTable } from '../terminal/table.ts';
import { type ControlPlane, type Contexts, contextsPath, readContexts, writeContexts } from './file.ts';

interface AddPlaneOptions {
  readonly name: string;
  readonly address: string;
  readonly skipVerify?: true;
  readonly overwrite?: true;
  readonly skipCheck?: true;
  readonly zoneOf?: string;
}

const HELP = `
The token is read once, from --token-file, and kept in the file of contexts, which only its owner can read. Of --ca-cert-file the path is kept.
  meridianctl config control-planes add --name prod --address https://global.example:5682 --token-file ./token --ca-cert-file ./ca.pem`;

/** `config`: the control planes that the user gave names, as kumactl has them. */
export function addConfig(program: Command): void {
  const config = program
    .command('config')
    .description('Keeps the addresses and tokens of control planes, in $MERIDIAN_CONFIG or ~/.meridian/config.');
  config.command('view').description('Shows the file of contexts, without the tokens.').action(viewConfig);
  const planes = config.command('control-planes').description('Adds, lists, switches and removes control planes: contexts.');
  planes
    .command('add')
    .description('Adds a control plane, and makes it the current one.')
    .requiredOption('--name <name>', 'what it is called here', parseName)
    .requiredOption('--address <url>', 'its API, like https://global.example:5682', parseUrl)
    .option('--skip-verify', 'believe any certificate; said again at every use')
    .option('--overwrite', 'replace the one of that name')
    .option('--skip-check', 'do not ask whether a control plane answers there')
    .option('--zone-of <name>', 'it is a zone of this global, for `--zone`; the current one stays')
    .addHelpText('after', HELP)
    .action(addControlPlane);
  planes.command('list').description('Lists the control planes; * is the current one.').action(listControlPlanes);
  planes
    .command('switch')
    .description('Makes a control plane the current one.')
    .requiredOption('--name <name>', 'what it is called here')
    .action(({ name }: { name: string }, command: Command) =>
      change(command, 'switched to', name, (contexts) => ({ ...contexts, current: find(contexts, name).name })),
    );
  planes
    .command('remove')
    .description('Forgets a control plane and its token.')
    .requiredOption('--name <name>', 'what it is called here')
    .action(({ name }: { name: string }, command: Command) =>
      change(command, 'removed', name, (contexts) => without(contexts, find(contexts, name).name)),
    );
}

async function addControlPlane(options: AddPlaneOptions, command: Command): Promise<void> {
  const { name, address, skipVerify, overwrite, skipCheck, zoneOf } = options;
  const { tokenFile, caCertFile } = optionsOf(command);
  const contexts = readContexts(contextsPath());
  if (!overwrite && contexts.controlPlanes.some((one) => one.name === name)) {
    throw new MeridianError('conflict', `there is a control plane ${name} already`, { hint: 'choose another name, or say --overwrite' });
  }
  const added: ControlPlane = {
    name,
    address,
    ...(tokenFile !== undefined && isGiven(command, 'tokenFile') ? { token: readToken(tokenFile) } : {}),
    ...(caCertFile !== undefined && isGiven(command, 'caCertFile') ? { caCertFile: resolve(caCertFile) } : {}),
    ...(skipVerify ? { skipVerify } : {}),
  };
  refuseClearToken({ url: address, token: added.token });
  if (skipVerify)
    note(`warning: the certificate of ${address} will not be verified: whoever answers there is believed, and given the token`);
  if (zoneOf === undefined) {
    if (!skipCheck) await checkAnswer(added);
    return change(command, 'added', name, (now) => ({ current: name, controlPlanes: [...without(now, name).controlPlanes, added] }));
  }
  if (skipCheck) command.error('error: --zone-of asks the zone for its name: leave out --skip-check');
  const zone = await addedZone(contexts, added, zoneOf);
  await change(command, 'added', name, (now) => ({
    ...now,
    controlPlanes: [...without(now, name).controlPlanes, { ...added, zone, zoneOf }],
  }));
}

/** The name of the zone that answers there. Throws `not_found` for an unknown global, `conflict` if it is no zone. */
async function addedZone(contexts: Contexts, added: ControlPlane, zoneOf: string): Promise<string> {
  const global = find(contexts, zoneOf);
  if (global.zoneOf !== undefined || global.name === added.name)
    throw new MeridianError('conflict', `${zoneOf} is a zone itself`, { hint: 'name its global with --zone-of' });
  const { zone } = await placeOf(await serverFor(added));
  if (zone === '') throw new MeridianError('conflict', `a global answers at ${added.address}`, { hint: 'leave out --zone-of' });
  const other = contexts.controlPlanes.find((one) => one.zoneOf === zoneOf && one.zone === zone && one.name !== added.name);
  if (!other) return zone;
  throw new MeridianError('conflict', `zone ${zone} of ${zoneOf} is the control plane ${other.name} already`, {
    hint: `remove that one first: \`meridianctl config control-planes remove --name ${other.name}\``,
  });
}

async function serverFor({ address, token, caCertFile, skipVerify }: ControlPlane): Promise<Server> {
  const ca = caCertFile === undefined ? undefined : (await readSource(caCertFile)).text;
  return { url: address, token, ca, verify: skipVerify !== true };
}

/** Something that a token opens, so that a wrong one is told now. */
async function checkAnswer(added: ControlPlane): Promise<void> {
  const answer = await ask(await serverFor(added), '/config');
  if (isObject(answer) && textOf(answer.mode) !== '') return;
  throw new MeridianError('unavailable', `this does not look like a control plane at ${added.address}`, {
    hint: 'check --address, or say --skip-check',
  });
}

async function change(command: Command, done: string, name: string, edit: (contexts: Contexts) => Contexts): Promise<void> {
  const path = contextsPath();
  const contexts = edit(readContexts(path));
  writeContexts(path, contexts);
  await print(optionsOf(command), { name, done, current: contexts.current ?? null }, () => `${done} control plane ${name}\n`);
  if (contexts.current === undefined) note('no control plane is current now: `meridianctl config control-planes switch --name NAME`');
}

function find({ controlPlanes }: Contexts, name: string): ControlPlane {
  const found = controlPlanes.find((one) => one.name === name);
  if (found) return found;
  throw new MeridianError('not_found', `there is no control plane ${name}`, { hint: 'see `meridianctl config control-planes list`' });
}

function without({ current, controlPlanes }: Contexts, name: string): Contexts {
  return { current: current === name ? undefined : current, controlPlanes: controlPlanes.filter((one) => one.name !== name) };
}

async function listControlPlanes(_: object, command: Command): Promise<void> {
  const { output } = optionsOf(command);
  const { current, controlPlanes } = readContexts(contextsPath());
  if (controlPlanes.length === 0 && isTable(output)) return note('no control planes: `meridianctl config control-planes add`');
  const items = controlPlanes.map(({ name, address, zone = null, zoneOf = null }) => ({
    name,
    address,
    current: name === current,
    zone,
    zoneOf,
  }));
  // Where none is of a zone, two columns would say nothing.
  const ofZones = items.some(({ zone }) => zone !== null);
  const heads = ['CURRENT', 'NAME', 'ADDRESS', ...(ofZones ? ['ZONE', 'OF'] : [])];
  const rows = items.map((item) => [
    item.current ? '*' : '',
    item.name,
    item.address,
    ...(ofZones ? [item.zone ?? '', item.zoneOf ?? ''] : []),
  ]);
  await print(optionsOf(command), { items }, (paper) => formatTable(heads, rows, paper));
}

async function viewConfig(_: object, command: Command): Promise<void> {
  const options = optionsOf(command);
  const { output } = options;
  const file = contextsPath();
  const { current, controlPlanes } = readContexts(file);
  const shown = controlPlanes.map(({ token, ...rest }) => ({ ...rest, ...(token === undefined ? {} : { token: '(hidden)' }) }));
  await print(
    { ...options, output: isTable(output) ? 'yaml' : output },
    { file, current: current ?? null, controlPlanes: shown },
    () => '',
  );
}

function parseName(text: string): string {
  if (/^[\w.-]{1,253}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be letters, digits, ".", "-" and "_".');
}
