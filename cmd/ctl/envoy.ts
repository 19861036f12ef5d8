import type { Command } from 'commander';
import { MeridianError } from '../../src/errors.js';
import { isObject } from '../../src/resource/path.js';
import { ask } from './client.js';
import { optionsOf } from './options.js';
import { print } from './output.js';
import { parsePort } from './port.js';
import { serverOf } from './server.js';

interface Given {
  readonly xdsAddress: string;
  readonly xdsCa?: string;
  readonly adminPort: number;
  readonly validFor?: string;
}

const HELP = `
DATAPLANE is the name in the zone's REST API (<name>.<namespace> where there are namespaces). The output holds a token: keep it as a secret.
  meridianctl envoy bootstrap backend-1 > bootstrap.json && envoy -c bootstrap.json --drain-time-s 10
How long a TCP connection that lost its permission may go on is Envoy's --drain-time-s (600 if not said).`;

export function addEnvoy(program: Command): void {
  const envoy = program.command('envoy').description('Connects Envoys to a zone. Ask the zone.');
  envoy
    .command('bootstrap')
    .description("Prints the bootstrap of a Dataplane's Envoy, with a token that proves who it is.")
    .argument('<dataplane>')
    .option('--xds-address <host:port>', "the zone's xDS server, as the Envoy reaches it", '127.0.0.1:5678')
    .option('--xds-ca <file>', 'a PEM file with the CA of the xDS server, where it has TLS')
    .option('--admin-port <port>', "of Envoy's administration, on loopback; 0 for any free one", parsePort, 9901)
    .option('--valid-for <duration>', 'how long the token is good for, like 24h (a year if not said)')
    .addHelpText('after', HELP)
    .action(printBootstrap);
}

async function printBootstrap(dataplane: string, { xdsAddress, xdsCa, adminPort, validFor }: Given, command: Command): Promise<void> {
  const { mesh, output } = optionsOf(command);
  const server = serverOf(command);
  const [{ bootstrap }, { parseNodeId }] = await Promise.all([import('../../src/xds/bootstrap.js'), import('../../src/xds/proxy-id.js')]);
  const answer = await ask(server, '/_proxy-tokens', { method: 'POST', body: JSON.stringify({ mesh, dataplane, validFor }) });
  const { token, nodeId } = isObject(answer) ? answer : {};
  const proxy = typeof nodeId === 'string' ? parseNodeId(nodeId) : undefined;
  if (typeof token !== 'string' || !proxy) throw new MeridianError('unavailable', `${server.url} answers without a token`);
  const made = bootstrap({ ...proxy, xdsAddress, xdsCa, token, adminPort });
  await print(output, made, () => `${JSON.stringify(made, undefined, 2)}\n`);
}
