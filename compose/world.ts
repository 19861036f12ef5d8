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
  /** Cuts a service off from NATS. What else it talks to, it still reaches. */
  cut(service: string): Promise<void>;
  join(service: string): Promise<void>;
  /** Runs meridianctl beside a control plane, with what it reads from standard input. */
  ctl(service: string, args: readonly string[], input?: string): Promise<Said>;
  /** Calls a URL from a service, with the certificate of a caller: `200 hello`, or `0` and what failed. */
  call(service: string, caller: string, url: string): Promise<string>;
  /** Writes a file that the services find in /run/scenario. */
  write(name: string, text: string): void;
  /** The last lines of all services, for who looks for what went wrong. */
  logs(): Promise<string>;
  /** Ends all of it and removes its data. */
  close(): Promise<void>;
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

/** Reads the services of a scenario. */
export function servicesOf(scenario: string): Readonly<Record<string, ServiceFile>> {
  const text = readFileSync(join(COMPOSE, scenario, 'docker-compose.yaml'), 'utf8');
  return (parse(text, { merge: true }) as { services: Record<string, ServiceFile> }).services;
}

/** Those that start at once: the others need what a running zone says. */
export function atOnce(services: Readonly<Record<string, ServiceFile>>): string[] {
  return Object.keys(services).filter((name) => services[name]?.profiles === undefined);
}
