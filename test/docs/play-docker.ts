import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { startProcesses } from '../../compose/processes.ts';
import type { Said, World } from '../../compose/world.ts';
import type { Scope } from '../harness/scope.ts';

const DONE: Said = { code: 0, out: '', err: '' };

/** What stands for docker and docker-compose hands on what it was asked to. */
interface DockerCall {
  readonly words: readonly string[];
  readonly input: string;
}

/**
 * Writes programs `docker` and `docker-compose` into a folder: what a scenario's page asks of them, done with plain
 * processes. `run` beside the page is what the containers see in /run/scenario.
 */
export async function writeDocker(scope: Scope, bin: string, scenario: string, folder: string): Promise<void> {
  let world: World | undefined;
  const started = async (): Promise<World> => (world ??= await startProcesses(scenario));
  scope.add(() => world?.close());
  const answer = async ({ words, input }: DockerCall): Promise<Said> => {
    const said = words.join(' ');
    const [, services] = /^docker-compose up -d\b ?(.*)$/.exec(said) ?? [];
    if (services === '') await started();
    else if (services !== undefined) await startLater(await started(), services.split(' '), join(folder, 'run'));
    if (services !== undefined) return DONE;
    if (said.startsWith('docker-compose down ')) {
      await world?.close();
      world = undefined;
      return DONE;
    }
    return inWorld(await started(), words, input);
  };
  const server = createServer((request, response) => {
    void (json(request) as Promise<DockerCall>)
      .then(answer)
      .catch((thrown: unknown): Said => ({ code: 1, out: '', err: String(thrown) }))
      .then((said) => response.end(JSON.stringify(said)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  scope.add(() => void server.close());
  for (const name of ['docker', 'docker-compose']) {
    writeFileSync(join(bin, name), program(name, (server.address() as AddressInfo).port));
    chmodSync(join(bin, name), 0o755);
  }
}

async function startLater(world: World, services: readonly string[], folder: string): Promise<void> {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) world.write(name, readFileSync(join(folder, name), 'utf8'));
  await world.start(...services);
}

async function inWorld(world: World, words: readonly string[], input: string): Promise<Said> {
  const [program, first, second, service = '', command = '', ...args] = words;
  const last = words.at(-1) ?? '';
  switch (`${program} ${first} ${second}`) {
    case 'docker-compose exec -T':
      if (command === 'meridianctl') return world.ctl(service, args, input);
      return { ...DONE, out: `${await world.call(service, args[1] ?? '', args[2] ?? '')}\n` };
    case 'docker-compose ps -q':
      return { ...DONE, out: `${service}\n` };
    case 'docker network disconnect':
      await world.cut(last);
      return DONE;
    case 'docker network connect':
      await world.join(last);
      return DONE;
    default:
      throw new Error(`a page says ${words.join(' ')}, which play-docker.ts does not know`);
  }
}

/** Only what it is asked to read is read: a terminal's input would never end. */
function program(name: string, port: number): string {
  return `#!/usr/bin/env node
const { fstatSync, readFileSync } = require('node:fs');
const input = fstatSync(0).isFile() ? readFileSync(0, 'utf8') : '';
const body = JSON.stringify({ words: ['${name}', ...process.argv.slice(2)], input });
fetch('http://127.0.0.1:${port}', { method: 'POST', body }).then((answer) => answer.json()).then(({ code, out, err }) => {
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
});
`;
}
