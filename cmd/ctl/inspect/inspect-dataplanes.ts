import { type Command, InvalidArgumentError } from 'commander';
import { MeridianError } from '../../../src/errors.ts';
import { hasRole } from '../../../src/policy/policy-role.ts';
import { type Kind, kindOf } from '../../../src/resource/kinds.ts';
import { parseKri } from '../../../src/resource/key.ts';
import { isObject } from '../../../src/resource/field-path.ts';
import type { JsonObject, JsonValue } from '../../../src/resource/resource.ts';
import { ask, askAll, listOf } from '../api/api-client.ts';
import { askProxy, describeProxy } from './inspect-proxy.ts';
import { parseKindName } from '../api/kind-name.ts';
import { optionsOf } from '../input/options.ts';
import { isTable, note, print, type PrintOptions } from '../terminal/output.ts';
import { printable, textOf } from '../terminal/printable.ts';
import { resourcePath } from '../api/resource-path.ts';
import type { Server } from '../api/server-address.ts';
import { readServerOf, zoneOption } from '../api/zone-server.ts';
import { readResourceView } from '../resources/resource-view.ts';
import { type Cell, context, formatTable, wraps } from '../terminal/table.ts';

/** What is inspected of proxies: all of them, what policies come to on one, and those that a policy selects. */
export function addInspectDataplanes(inspect: Command): void {
  inspect
    .command('dataplanes')
    .description('Shows the proxies of a mesh.')
    .option('--all-meshes', "of all meshes, like -m ''")
    .addOption(zoneOption())
    .action(async ({ allMeshes }: { allMeshes?: true }, command: Command) => {
      const { mesh } = optionsOf(command);
      const items = await askAll(
        readServerOf(command),
        allMeshes || mesh === '' ? '/dataplanes/_overview' : `/meshes/${encodeURIComponent(mesh)}/dataplanes/_overview`,
      );
      await printProxies(optionsOf(command), items);
    });
  inspect
    .command('dataplane')
    .description('Shows what policies come to on a proxy: on it as a whole, on each inbound, and for each destination.')
    .argument('<name>', 'its name in this store, or its KRI; on a kubernetes zone <name>.<namespace>')
    .addOption(zoneOption())
    .action(inspectDataplane);
  inspect
    .command('policy')
    .description('Shows the proxies that a policy selects.')
    .argument('<kind>', 'a type, REST path or short name: MeshTimeout, meshtimeouts, mt', parsePolicyKind)
    .argument('<name>', 'its name in this store, or its KRI; on a kubernetes zone <name>.<namespace>')
    .addOption(zoneOption())
    .action(async (kind: Kind, name: string, _: object, command: Command) => {
      const { mesh } = optionsOf(command);
      const [server, path] = [readServerOf(command), resourcePath(kind, mesh, name)];
      await tellEnforcement(server, path);
      // An access policy selects no proxies by a targetRef.
      await printProxies(optionsOf(command), kind.policy ? await askAll(server, `${path}/_resources/dataplanes`) : []);
    });
}

/** Whether proxies enforce a policy, and what else `apply` says of it. An older control plane can't tell. */
async function tellEnforcement(server: Server, path: string): Promise<void> {
  try {
    const answer = await ask(server, `${path}/_enforcement`);
    const warnings = isObject(answer) && Array.isArray(answer.warnings) ? answer.warnings.map(textOf) : [];
    for (const warning of warnings) note(`warning: ${printable(warning)}`);
  } catch (thrown) {
    if (!(thrown instanceof MeridianError && thrown.code === 'not_found')) throw thrown;
  }
}

function parsePolicyKind(text: string): Kind {
  const kind = parseKindName(text);
  if (!hasRole(kind)) throw new InvalidArgumentError(`A ${kind.type} selects no proxies.`);
  return kind;
}

async function printProxies(printed: PrintOptions, items: readonly JsonObject[]): Promise<void> {
  if (items.length === 0 && isTable(printed.output)) return note('no proxies');
  await print(printed, { total: items.length, items }, (paper) =>
    formatTable(
      [context('MESH'), 'NAME', 'ZONE', context('NAMESPACE'), 'DISPLAY NAME'],
      items.map((item) => {
        const { mesh, name, zone, namespace, displayName } = readResourceView(item);
        return [mesh, name, zone, namespace, displayName];
      }),
      paper,
    ),
  );
}

interface InspectedInbound {
  readonly kri: string;
  readonly policies: readonly JsonObject[];
}

async function inspectDataplane(name: string, _: object, command: Command): Promise<void> {
  const { output, mesh } = optionsOf(command);
  const server = readServerOf(command);
  const base = resourcePath(kindOf('Dataplane'), mesh, name);
  const [layout, whole, rules, proxy] = await Promise.all([
    ask(server, `${base}/_layout`),
    ask(server, `${base}/_policies`),
    ask(server, `${base}/_rules`),
    askProxy(server, base),
  ]);
  const inbounds: InspectedInbound[] = [];
  for (const { kri } of listOf(server, layout, 'inbounds')) {
    const answer = await ask(server, `${base}/_inbounds/${encodeURIComponent(textOf(kri))}/_policies`);
    inbounds.push({ kri: textOf(kri), policies: listOf(server, answer, 'policies') });
  }
  const policies = listOf(server, whole, 'policies');
  const outbounds = listOf(server, rules, 'rules').flatMap(toOutbounds);
  const warnings = isObject(whole) && Array.isArray(whole.warnings) ? whole.warnings.map(textOf) : [];
  for (const line of proxy ? describeProxy(proxy) : []) note(line);
  for (const warning of warnings) note(`warning: ${printable(warning)}`);
  const rows = [...policies.map(wholeRow), ...inbounds.flatMap(inboundRows), ...outbounds.map(outboundRow)];
  if (rows.length === 0 && isTable(output))
    return note('no policy says anything of this proxy: where it is served, every request to it is denied');
  await print(optionsOf(command), { layout, policies, inbounds, outbounds, warnings, proxy }, (paper) =>
    formatTable(['ON', 'KIND', 'FROM POLICY', wraps('CONF')], rows, paper),
  );
}

/** Destinations as `_rules` has them: resources, and services that are known by tags alone. */
function toOutbounds({ type, toResourceRules, toRules }: JsonObject): JsonObject[] {
  const toTags = objectsIn(toRules).map(({ matchers, conf, origin }) => ({ type, matchers, conf, origins: objectsIn(origin) }));
  const toResources = objectsIn(toResourceRules).map(({ resourceMeta, resourceSectionName, conf, origin }) => ({
    type,
    resource: resourceMeta,
    section: resourceSectionName,
    conf: Array.isArray(conf) ? (conf as readonly JsonValue[])[0] : conf,
    origins: objectsIn(origin).flatMap(({ resourceMeta: policy }) => (isObject(policy) ? [policy] : [])),
  }));
  return [...toResources, ...toTags];
}

function wholeRow({ kind, origins, conf }: JsonObject): Cell[] {
  return ['proxy', textOf(kind), krisOf(origins), JSON.stringify(conf)];
}

function inboundRows({ kri, policies }: InspectedInbound): Cell[][] {
  const on = `inbound ${parseKri(kri).section}`;
  return policies.flatMap(({ kind, rules }) =>
    objectsIn(rules).map((rule): Cell[] => [on, textOf(kind), textOf(rule.kri), describeRule(rule)]),
  );
}

/** What a rule is for stands before what it says. */
function describeRule({ conf, matches, targetRef, routes }: JsonObject): string {
  const only = Object.entries({ matches, targetRef, routes }).filter(([, value]) => value !== undefined);
  return [...only.map(([field, value]) => `${field} ${JSON.stringify(value)}`), JSON.stringify(conf)].join(' ');
}

function outboundRow({ type, resource, section, matchers, origins, conf }: JsonObject): Cell[] {
  const target = isObject(resource) ? `${textOf(resource.type)} ${textOf(resource.name)}` : JSON.stringify(matchers);
  return [`to ${target}${textOf(section) === '' ? '' : `:${textOf(section)}`}`, textOf(type), krisOf(origins), JSON.stringify(conf)];
}

function krisOf(origins: JsonValue | undefined): string {
  return objectsIn(origins)
    .map(({ kri }) => textOf(kri))
    .join(', ');
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isObject) : [];
}
