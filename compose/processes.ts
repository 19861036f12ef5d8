import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CutLink, startLink } from '../demo/link.ts';
import { type Child, startChild } from '../test/harness/child.ts';
import { envoyProgram } from '../test/harness/envoy.ts';
import { natsServerProgram } from '../test/harness/nats.ts';
import { KUMACTL } from '../test/harness/kumactl.ts';
import { Scope } from '../test/harness/scope.ts';
import { KUMA_CP } from '../test/side-by-side/kuma.ts';
import { run } from './containers.ts';
import { RELEASE_FOLDER } from './upgrade/release.ts';
import { atOnce, type Changes, COMPOSE, type ServiceFile, servicesOf, type World } from './world.ts';

/** A network of the loopback for this process alone, so that two of them may run beside one another. */
const NETWORK = `127.${64 + ((process.pid >> 8) & 127)}.${process.pid & 255}`;
const PROGRAMS = fileURLToPath(new URL('../dist/cmd/', import.meta.url));

/**
 * Starts the services of a scenario's docker-compose.yaml as plain processes of this machine. Each has a loopback
 * address of its own, so its ports are those of the file: 10.89.1.4 and 10.89.2.4 are one address here.
 */
export async function startProcesses(scenario: string, changes: Changes = {}): Promise<World> {
  const scope = new Scope();
  const services = servicesOf(scenario, changes);
  const folder = scope.folder();
  const running = new Map<string, Child>();
  const links = new Map<string, CutLink>();
  const variables = new Map<string, string>();
  const machines = new Map(Object.keys(services).map((name) => [name, machineOf(services, name)]));
  const here = (service: string, text: string): string =>
    translate(text, machines, service, links, foldersOf(services[service], scenario, folder));
  for (const service of Object.keys(services)) await startLinks(scope, services, machines, service, links);
  const start = async (service: string): Promise<void> => {
    const file = services[service];
    if (file === undefined) throw new Error(`no service ${service}`);
    for (const path of Object.values(foldersOf(file, scenario, folder))) if (!/\.\w+$/.test(path)) mkdirSync(path, { recursive: true });
    const env = Object.fromEntries(Object.entries(file.environment ?? {}).map(([name, value]) => [name, here(service, value)]));
    const data = { MERIDIAN_DATA_DIR: here(service, '/data'), MERIDIAN_XDS_ADDRESS: machines.get(service) };
    const image = file.image.replace(/\$\{(\w+):-(\w+)\}/, (_, name: string, value: string) => variables.get(name) ?? value);
    const [program = '', ...args] = [...(file.entrypoint ?? (await programOf(image))), ...(file.command ?? [])];
    const node = program === 'node' ? process.execPath : program;
    running.set(
      service,
      startChild(
        scope,
        node,
        args.map((arg) => here(service, arg)),
        { ...process.env, ...data, ...env },
      ),
    );
  };
  const world: World = {
    async start(...names) {
      for (const name of names) await start(name);
    },
    async kill(service) {
      running.get(service)?.signal('SIGKILL');
      await running.get(service)?.exit;
    },
    async stop(service) {
      running.get(service)?.signal('SIGTERM');
      await running.get(service)?.exit;
    },
    use: (variable, value) => void variables.set(variable, value),
    cut: async (service) => linksOf(links, service).forEach((link) => link.cut()),
    join: async (service) => linksOf(links, service).forEach((link) => link.join()),
    ctl(service, args, input) {
      const env = { ...process.env, MERIDIAN_URL: `http://${machines.get(service)}:5681` };
      const main = join(PROGRAMS, 'ctl/main.js');
      return run(process.execPath, [main, ...args.map((arg) => here(service, arg))], here(service, input ?? ''), env);
    },
    async exec(service, [program = '', ...args], input) {
      const env = { ...process.env, MERIDIAN_URL: `http://${machines.get(service)}:5681` };
      const found: Record<string, string | undefined> = { node: process.execPath, kumactl: KUMACTL };
      return run(
        found[program] ?? program,
        args.map((arg) => here(service, arg)),
        here(service, input ?? ''),
        env,
      );
    },
    async call(service, caller, url) {
      const env = { ...process.env, CERTIFICATES: here(service, '/etc/meridian/proxies') };
      return (await run(process.execPath, [join(COMPOSE, 'call.mjs'), caller, here(service, url)], '', env)).out.trim();
    },
    write: (name, text) => writeFileSync(join(folder, 'run', name), text),
    said: async (service) => (running.get(service)?.lines ?? []).join('\n'),
    logs: async () => [...running].map(([name, { lines }]) => `${name}:\n${lines.slice(-15).join('\n')}\n`).join('\n'),
    close: () => scope.close(),
    patience: 120,
  };
  mkdirSync(join(folder, 'run'));
  await world.start(...atOnce(services));
  return world;
}

/** Out: the loopback address that stands for a service's machine; of the one whose network it shares, where it does. */
function machineOf(services: Readonly<Record<string, ServiceFile>>, name: string): string {
  const shared = services[name]?.network_mode?.replace('service:', '');
  if (shared !== undefined) return machineOf(services, shared);
  const [address] = Object.values(services[name]?.networks ?? {});
  return onLoopback(address?.ipv4_address ?? '');
}

function onLoopback(text: string): string {
  return text.replaceAll(/\b10\.89\.\d+\.(\d+)\b/g, `${NETWORK}.$1`);
}

/** Every way from a service to a NATS server is a link that can be cut, `SERVICE>SERVER:PORT`. */
async function startLinks(
  scope: Scope,
  services: Readonly<Record<string, ServiceFile>>,
  machines: ReadonlyMap<string, string>,
  service: string,
  links: Map<string, CutLink>,
): Promise<void> {
  const told = [...Object.values(services[service]?.environment ?? {}), ...(services[service]?.command ?? [])].join(' ');
  for (const [, server = '', port = ''] of told.matchAll(/\/\/([\w-]+):(\d+)/g)) {
    const machine = machines.get(server);
    const key = `${service}>${server}:${port}`;
    if (machine !== undefined && !links.has(key)) links.set(key, await startLink(scope, Number(port), machine));
  }
}

function linksOf(links: ReadonlyMap<string, CutLink>, service: string): CutLink[] {
  return [...links].filter(([key]) => key.startsWith(`${service}>`)).map(([, link]) => link);
}

/** Out: the folder or file of this machine for each path in the container. */
function foldersOf(file: ServiceFile | undefined, scenario: string, folder: string): Record<string, string> {
  return Object.fromEntries(
    (file?.volumes ?? []).map((volume) => {
      const [from = '', to = ''] = volume.split(':');
      if (from === './run') return [to, join(folder, 'run')];
      return [to, from.startsWith('.') ? join(COMPOSE, scenario, from) : join(folder, 'volumes', from)];
    }),
  );
}

/** Puts what is here in the place of a service's addresses, names and paths. */
function translate(
  text: string,
  machines: ReadonlyMap<string, string>,
  service: string,
  links: ReadonlyMap<string, CutLink>,
  folders: Readonly<Record<string, string>>,
): string {
  const own = machines.get(service) ?? '';
  let said = onLoopback(text.replaceAll(/\b(127\.0\.0\.1|0\.0\.0\.0)\b/g, own));
  said = said.replaceAll(/\/\/([\w-]+):(\d+)/g, (all, name: string, port: string) => {
    const link = links.get(`${service}>${name}:${port}`);
    if (link) return `//127.0.0.1:${link.port}`;
    const machine = machines.get(name);
    return machine === undefined ? all : `//${machine}:${port}`;
  });
  for (const [there, path] of Object.entries(folders))
    said = said.replaceAll(new RegExp(`${there.replaceAll('.', '\\.')}(?![\\w-])`, 'g'), path);
  return said;
}

/** Out: what the entry point of an image starts. */
async function programOf(image: string): Promise<readonly string[]> {
  const name = image.split(':')[0];
  if (name === 'meridian-nats') return [await natsServerProgram()];
  if (name === 'meridian-envoy') return [await envoyProgram()];
  if (name === 'meridian-kuma') return [KUMA_CP ?? 'kuma-cp'];
  const programs = image.endsWith(':release') ? join(RELEASE_FOLDER, 'dist/cmd') : PROGRAMS;
  return [process.execPath, join(programs, `${name?.replace('meridian-', '')}/main.js`)];
}
