import type { Command } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { hasRole } from '../../../src/policy/policy-role.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject } from '../../../src/resource/resource.ts';
import { ask, askAll } from '../api/api-client.ts';
import { withNearName } from '../api/near-name.ts';
import { resourcePath } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { optionsOf } from '../input/options.ts';
import { type NamedResource, namedResource } from '../input/resource-names.ts';
import { print, toYaml } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import type { TableLayout } from '../terminal/table.ts';
import { readResourceView, toDocument } from '../resources/resource-view.ts';
import { formatEntries } from './ledger-command.ts';

/** A resource, and what is known beside it. */
interface DescribedResource {
  readonly resource: JsonObject;
  readonly warnings: readonly string[];
  /** How many proxies it selects; null: it is no policy, or none can be asked for. */
  readonly selects: number | null;
  /** Where it stands in each zone. */
  readonly ledger: readonly JsonObject[];
}

export function addDescribe(program: Command): void {
  program
    .command('describe')
    .summary('a resource, what it selects, and where it stands')
    .description('Shows a resource, the proxies that it selects, what may not do as expected, and where it stands in each zone.')
    .argument('<kind>', 'a type, REST path or short name (MeshTimeout, meshtimeouts, mt), or KIND/NAME')
    .argument('[name]', 'its name in this store; on a kubernetes zone <name>.<namespace>')
    .addOption(zoneOption())
    .action(async (kind: string, name: string | undefined, _: object, command: Command) => {
      const resource = namedResource(kind, name, command);
      const described = await readDescribed(readServerOf(command), resource);
      const document = await toYaml(toDocument(described.resource));
      await print(optionsOf(command), described, (paper) => formatDescribed(described, document, paper));
    });
}

async function readDescribed(server: Server, named: NamedResource): Promise<DescribedResource> {
  const { kind, mesh, name } = named;
  const path = resourcePath(kind, mesh, name);
  const item = await withNearName(server, named, () => ask(server, path));
  const resource: JsonObject = isObject(item) ? (item as JsonObject) : {};
  const query = { type: kind.type, mesh: mesh || undefined, name: readResourceView(resource).displayName || name };
  const [selected, enforcement, ledger] = await Promise.all([
    kind.policy && hasRole(kind) ? ask(server, `${path}/_resources/dataplanes`, { query: { size: '1' } }) : undefined,
    hasRole(kind) ? orNothing(ask(server, `${path}/_enforcement`)) : undefined,
    askAll(server, '/_ledger', query),
  ]);
  return {
    resource,
    warnings: isObject(enforcement) && Array.isArray(enforcement.warnings) ? enforcement.warnings.map(textOf) : [],
    selects: isObject(selected) && typeof selected.total === 'number' ? selected.total : null,
    ledger: ledger.filter(({ kri }) => kri === resource.kri),
  };
}

/** An older control plane doesn't know what is asked. */
async function orNothing(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof MeridianError && thrown.code === 'not_found') return undefined;
    throw thrown;
  }
}

function formatDescribed({ warnings, selects, ledger }: DescribedResource, document: string, paper: TableLayout): string {
  const told = [
    ...(selects === null ? [] : [`selects ${selects} ${selects === 1 ? 'proxy' : 'proxies'}`]),
    ...warnings.map((warning) => `warning: ${printable(warning)}`),
  ];
  const deliveries = ledger.length > 0 ? formatEntries(ledger, paper) : 'it is sent to nobody\n';
  return `${document}\n${told.map((line) => `${line}\n`).join('')}${told.length > 0 ? '\n' : ''}${deliveries}`;
}
