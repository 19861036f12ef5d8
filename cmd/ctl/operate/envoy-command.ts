import { type Command, InvalidArgumentError } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import { ask } from '../api/api-client.ts';
import { optionsOf } from '../input/options.ts';
import { note, print, toJson } from '../terminal/output.ts';
import { parsePort } from '../input/port.ts';
import { type Server, serverOf } from '../api/server-address.ts';
import { addTrialCertificates } from './trial-command.ts';

interface BootstrapOptions {
  readonly xdsAddress: string;
  readonly xdsCa?: string;
  readonly xdsCert?: string;
  readonly xdsKey?: string;
  readonly adminPort: number;
  readonly validFor?: string;
  readonly drainTime: number;
}

const HELP = `
DATAPLANE is the name in the zone's REST API (<name>.<namespace> where there are namespaces). The output holds a token: keep it as a secret. With
--xds-cert and --xds-key it holds none: the proxy is known by that certificate, where the zone has MERIDIAN_XDS_CLIENT_CA.
  meridianctl envoy bootstrap backend-1 > bootstrap.json
How long a TCP connection that lost its permission may go on is not part of a bootstrap, but of the command line that is printed beside it.`;

const REVOKE_HELP = `
Envoys go on with the rules that they have, and get no new ones until they start with a new bootstrap. Those that are known by a certificate stay connected.`;

export function addEnvoy(program: Command): void {
  const envoy = program.command('envoy').description('Connects Envoys to a zone. Ask the zone.');
  envoy
    .command('bootstrap')
    .description("Prints the bootstrap of a Dataplane's Envoy, with what proves who it is.")
    .argument('<dataplane>')
    .option('--xds-address <host:port>', "the zone's xDS server, as the Envoy reaches it", '127.0.0.1:5678')
    .option('--xds-ca <file>', 'a PEM file with the CA of the xDS server, where it has TLS')
    .option('--xds-cert <file>', "a PEM file with the proxy's own certificate, instead of a token; with --xds-key and --xds-ca")
    .option('--xds-key <file>', 'a PEM file with the key of that certificate')
    .option('--admin-port <port>', "of Envoy's administration, on loopback; 0 for any free one", parsePort, 9901)
    .option('--valid-for <duration>', 'how long the token is good for, like 24h (a year if not said)')
    .option('--drain-time <seconds>', 'how long a TCP connection that lost its permission may go on', parseSeconds, 10)
    .addHelpText('after', HELP)
    .action(printBootstrap);
  addTrialCertificates(envoy);
  envoy
    .command('revoke-tokens')
    .description("Refuses every proxy's token that this zone made before, and ends the streams that were opened with one.")
    .addHelpText('after', REVOKE_HELP)
    .action(revokeTokens);
}

async function revokeTokens(_: object, command: Command): Promise<void> {
  const answer = await ask(serverOf(command), '/_proxy-tokens', { method: 'DELETE' });
  await print(optionsOf(command), answer, () => "no proxy's token that was made before holds any more\n");
}

async function printBootstrap(dataplane: string, given: BootstrapOptions, command: Command): Promise<void> {
  const { xdsAddress, xdsCa, xdsCert: cert, xdsKey: key, adminPort } = given;
  const { mesh } = optionsOf(command);
  const { bootstrap, envoyArguments } = await import('../../../src/xds/envoy/bootstrap.ts');
  const xdsIdentity = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if ((cert ?? key) !== undefined && (!xdsIdentity || xdsCa === undefined)) {
    throw new MeridianError('invalid', '--xds-cert, --xds-key and --xds-ca go together: a certificate is shown over TLS only');
  }
  const who = xdsIdentity ? await askName(serverOf(command), mesh, dataplane) : await askToken(serverOf(command), mesh, dataplane, given);
  const made = bootstrap({ ...who, xdsAddress, xdsCa, xdsIdentity, adminPort });
  note(`start it with: envoy ${envoyArguments('FILE', given.drainTime).join(' ')}`);
  await print(optionsOf(command), made, () => `${toJson(made)}\n`);
}

function parseSeconds(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be 1 to 99999 seconds.');
  return Number(text);
}

async function askToken(server: Server, mesh: string, dataplane: string, { validFor }: BootstrapOptions) {
  const { parseNodeId } = await import('../../../src/xds/server/proxy-id.ts');
  const answer = await ask(server, '/_proxy-tokens', { method: 'POST', body: JSON.stringify({ mesh, dataplane, validFor }) });
  const { token, nodeId } = isObject(answer) ? answer : {};
  const proxy = typeof nodeId === 'string' ? parseNodeId(nodeId) : undefined;
  if (typeof token !== 'string' || !proxy) throw new MeridianError('unavailable', `${server.url} answers without a token`);
  return { ...proxy, token };
}

/** The zone knows the Dataplane, and what it is called. */
async function askName(server: Server, mesh: string, dataplane: string) {
  const answer = await ask(server, `/meshes/${encodeURIComponent(mesh)}/dataplanes/${encodeURIComponent(dataplane)}`);
  const name = isObject(answer) ? answer.name : undefined;
  if (typeof name !== 'string') throw new MeridianError('unavailable', `${server.url} answers without a name`);
  return { mesh, name };
}
