import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atOnce, type Changes, COMPOSE, type Said, servicesOf, type World } from './world.ts';

/** Runs a program to its end. */
export async function run(program: string, args: readonly string[], input = '', env = process.env): Promise<Said> {
  const child = spawn(program, args, { env, stdio: 'pipe' });
  const ended = new Promise<number>((resolve) => {
    child.on('error', () => resolve(127)).on('close', (code) => resolve(code ?? 1));
  });
  child.stdin.on('error', () => {}).end(input);
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** `docker compose` (v2) or `docker-compose`; undefined: no container engine is to be had. */
export async function composeProgram(): Promise<readonly string[] | undefined> {
  if ((await run('docker', ['info'])).code !== 0) return undefined;
  if ((await run('docker', ['compose', 'version'])).code === 0) return ['docker', 'compose'];
  return (await run('docker-compose', ['version'])).code === 0 ? ['docker-compose'] : undefined;
}

/** Starts a scenario in containers. In: the compose program. The images are there. */
export async function startContainers(
  scenario: string,
  [program = '', ...first]: readonly string[],
  changes: Changes = {},
): Promise<World> {
  const project = `meridian-${scenario}`;
  const folder = join(COMPOSE, scenario, 'run');
  const changed = join(folder, 'changes.json');
  const file = ['-p', project, '-f', join(COMPOSE, scenario, 'docker-compose.yaml'), '-f', changed];
  const services = servicesOf(scenario);
  const env = { ...process.env };
  const dc = (args: readonly string[]): Promise<Said> => run(program, [...first, ...file, ...args], '', env);
  // docker itself answers much sooner than docker-compose.
  const docker = (...args: readonly string[]): Promise<Said> => good(run('docker', args));
  const idOf = async (service: string): Promise<string> => {
    const labels = { project, service };
    const filters = Object.entries(labels).flatMap(([label, value]) => ['--filter', `label=com.docker.compose.${label}=${value}`]);
    return (await docker('ps', '--all', '--quiet', ...filters)).out.trim();
  };
  const exec = async (service: string, args: readonly string[], input?: string): Promise<Said> =>
    run('docker', ['exec', '--interactive', await idOf(service), ...args], input);
  const empty = (): void => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(changed, JSON.stringify({ version: '3.8', services: changes }));
  };
  empty();
  const world: World = {
    start: async (...names) => void (await good(dc(['up', '-d', '--no-deps', ...names]))),
    kill: async (service) => void (await docker('kill', await idOf(service))),
    cut: async (service) => void (await docker('network', 'disconnect', `${project}_wire`, await idOf(service))),
    async join(service) {
      const address = services[service]?.networks?.wire?.ipv4_address ?? '';
      await docker('network', 'connect', '--alias', service, '--ip', address, `${project}_wire`, await idOf(service));
    },
    stop: async (service) => void (await docker('stop', await idOf(service))),
    use: (variable, value) => void (env[variable] = value),
    exec,
    ctl: (service, args, input) => exec(service, ['meridianctl', ...args], input),
    call: async (service, caller, url) => (await exec(service, ['node', '/call.mjs', caller, url])).out.trim(),
    write: (name, content) => writeFileSync(join(folder, name), content),
    said: async (service) => {
      const { out, err } = await docker('logs', await idOf(service));
      return out + err;
    },
    logs: async () => (await dc(['logs', '--no-color', '--tail', '15'])).out,
    async close() {
      await dc(['down', '--volumes', '--timeout', '5', '--remove-orphans']);
      rmSync(folder, { recursive: true, force: true });
    },
    patience: 180,
  };
  await world.close();
  empty();
  await world.start(...atOnce(services));
  return world;
}

/** Throws with what was said where a program failed. */
async function good(said: Promise<Said>): Promise<Said> {
  const { code, out, err } = await said;
  if (code !== 0) throw new Error(`ended with ${code}: ${err || out}`);
  return { code, out, err };
}
