import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readDocuments } from '../../src/resource/documents/read-documents.ts';
import type { Place } from '../../src/resource/resource.ts';

/** What a step's documents are for (test/scenarios/README.md). */
const VERBS = ['apply', 'delete', 'refused', 'forge', 'cut-off', 'reconnect'] as const;
type Verb = (typeof VERBS)[number];

export interface ScenarioStep {
  /** The file, for messages. */
  readonly file: string;
  readonly order: number;
  /** `global` or a zone. */
  readonly at: string;
  readonly verb: Verb;
  readonly documents: readonly unknown[];
}

export interface Scenario {
  readonly title: string;
  readonly zones: readonly Place[];
  /** Kinds that are looked at although the system makes them by itself. */
  readonly show: readonly ('Mesh' | 'Zone')[];
  readonly steps: readonly ScenarioStep[];
  /** The documents of `expected/<name>.yaml`, by name. */
  readonly expected: ReadonlyMap<string, readonly unknown[]>;
}

const zone = z.strictObject({
  environment: z.enum(['kubernetes', 'universal']).default('kubernetes'),
  systemNamespace: z.string().default('kuma-system'),
});

const header = z.strictObject({
  title: z.string().min(1),
  /** The page and heading of docs/design that it shows: for readers. */
  shows: z.string().min(1),
  zones: z.record(z.string(), zone.nullable()).default({ east: null, west: null }),
  show: z.array(z.enum(['Mesh', 'Zone'])).default([]),
});

const NUMBERED = /^(\d+)-([a-z0-9-]+)(?:\.([a-z-]+))?\.yaml$/;

/**
 * Reads a folder. Throws when a file in it is none that a scenario has: what nobody reads would be believed to be
 * tested.
 */
export function readScenario(folder: string): Scenario {
  const names = readdirSync(folder).filter((name) => name !== 'scenario.yaml' && name !== 'expected');
  const { title, zones, show } = header.parse(readYaml(join(folder, 'scenario.yaml'))[0]);
  const places = Object.entries(zones).map(([name, said]) => toPlace(name, zone.parse(said ?? {})));
  const known = ['global', ...places.map((place) => place.zone)];
  const steps = names.map((name) => readStep(folder, name, known)).sort((a, b) => a.order - b.order);
  if (new Set(steps.map(({ order }) => order)).size < steps.length) throw new Error(`${folder}: two steps have one number`);
  return { title, zones: places, show, steps, expected: readExpected(join(folder, 'expected'), known) };
}

function toPlace(name: string, { environment, systemNamespace }: z.infer<typeof zone>): Place {
  return { zone: name, environment, systemNamespace: environment === 'universal' ? '' : systemNamespace };
}

function readStep(folder: string, name: string, known: readonly string[]): ScenarioStep {
  const [, number, at = '', word = 'apply'] = NUMBERED.exec(name) ?? [];
  const verb = VERBS.find((candidate) => candidate === word);
  if (number === undefined || verb === undefined || !known.includes(at)) throw new Error(`${folder}: ${name} is no step`);
  return { file: name, order: Number(number), at, verb, documents: readYaml(join(folder, name)) };
}

function readExpected(folder: string, known: readonly string[]): ReadonlyMap<string, readonly unknown[]> {
  // A scenario that ends with nothing anywhere has no such folder: git keeps no empty one.
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const names = [...known, 'ledger', 'status', 'untouched'];
  const strange = files.find((file) => !names.includes(file.replace(/\.yaml$/, '')));
  if (strange !== undefined) throw new Error(`${folder}: ${strange} is not expected by anybody`);
  return new Map(files.map((file) => [file.replace(/\.yaml$/, ''), readYaml(join(folder, file))]));
}

function readYaml(file: string): readonly unknown[] {
  return readDocuments(readFileSync(file, 'utf8')).map((read) => {
    if ('problem' in read) throw new Error(`${file}: ${read.problem.reason}`);
    return read.value;
  });
}
