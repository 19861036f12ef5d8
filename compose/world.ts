import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** The folder of the scenarios. */
export const COMPOSE = fileURLToPath(new URL('.', import.meta.url));

/** What a program said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Where a scenario runs: in containers, or as plain processes of the same docker-compose.yaml. */
export interface World {
  /** Starts a service, the first time or again. */
  start(...services: readonly string[]): Promise<void>;
  /** Ends a service at once, as a failing machine would. Its data stays. */
  kill(service: string): Promise<void>;
  /** Ends a service as its operator does, and waits until it has ended. */
  stop(service: string): Promise<void>;
  /** Gives a variable of the docker-compose.yaml a value, for what starts from now on. */
  use(variable: string, value: string): void;
  /** Cuts a service off from NATS. What else it talks to, it still reaches. */
  cut(service: string): Promise<void>;
  join(service: string): Promise<void>;
  /** Runs meridianctl beside a control plane, with what it reads from standard input. */
  ctl(service: string, args: readonly string[], input?: string): Promise<Said>;
  /** Runs any other program beside a service: `node`, or what its image has. */
  exec(service: string, command: readonly string[], input?: string): Promise<Said>;
  /** Calls a URL from a service, with the certificate of a caller: `200 hello`, or `0` and what failed. */
  call(service: string, caller: string, url: string): Promise<string>;
  /** Writes a file that the services find in /run/scenario. */
  write(name: string, text: string): void;
  /** What a service has said, since it was started last at least. */
  said(service: string): Promise<string>;
  /** The last lines of all services, for who looks for what went wrong. */
  logs(): Promise<string>;
  /** Ends all of it and removes its data. */
  close(): Promise<void>;
  /** How many seconds a step may take. */
  readonly patience: number;
  /** How the step begins that will fail, where something is broken: that one is not waited for as long. */
  readonly fails?: string;
}

/** A service of a docker-compose.yaml, as far as the plain processes need it. */
export interface ServiceFile {
  readonly image: string;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly profiles?: readonly string[];
}

/** What services have in the place of what docker-compose.yaml says. */
export type Changes = Readonly<Record<string, Partial<Pick<ServiceFile, 'command' | 'environment'>>>>;

/** Reads the services of a scenario. */
export function servicesOf(scenario: string, changes: Changes = {}): Readonly<Record<string, ServiceFile>> {
  const text = readFileSync(join(COMPOSE, scenario, 'docker-compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as { services: Record<string, ServiceFile> };
  const changed = ([name, file]: [string, ServiceFile]): [string, ServiceFile] => {
    const change = changes[name];
    return [name, { ...file, ...change, environment: { ...file.environment, ...change?.environment } }];
  };
  return Object.fromEntries(Object.entries(services).map(changed));
}

/** Those that start at once: the others need what a running zone says. */
export function atOnce(services: Readonly<Record<string, ServiceFile>>): string[] {
  return Object.keys(services).filter((name) => services[name]?.profiles === undefined);
}
