import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AnyJson } from '../api/harness.ts';
import { type Ran, runKumactl } from '../harness/kumactl.ts';
import { plainText, plainValue } from './plain.ts';

const PATIENCE_MS = 15_000;

export type Side = 'global' | 'zone';

/** The addresses of a global and of its zone. */
export type PlaneUrls = Readonly<Record<Side, string>>;

interface NotedStep {
  readonly on: Side;
  /** What is special about it: part of its title. */
  readonly note?: string | undefined;
}

/** A request of the REST API. */
export interface RequestStep extends NotedStep {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly path: string;
  /** Sent as JSON, or as it is when it is a text. */
  readonly body?: unknown;
  /** It is asked again until this holds: for what comes from another control plane. */
  readonly until?: (body: AnyJson) => unknown;
}

/** A command of kumactl. `documents` become the file `@`. `until` is asked of the standard output. */
export interface Command extends NotedStep {
  readonly kumactl: string;
  readonly documents?: readonly object[];
  readonly until?: (out: string) => unknown;
}

export type ComparedStep = RequestStep | Command;

/** An answer without what differs from run to run. */
export type ComparedAnswer = AnyJson;

/**
 * `zone: kumactl get meshes -o json`, `global: PUT /meshes/m1`, `global: kumactl apply -f @ {Mesh m1}`,
 * `global: PUT /meshes/m1 {no body}`.
 */
export function titleOf(step: ComparedStep): string {
  const note = step.note === undefined ? '' : ` {${step.note}}`;
  return `${step.on}: ${'kumactl' in step ? `kumactl ${step.kumactl}` : `${step.method} ${step.path}`}${note}`;
}

/** Does a step at a pair of control planes. `folder`: where kumactl has its configuration and files. */
export async function take(step: ComparedStep, pair: PlaneUrls, folder: string): Promise<ComparedAnswer> {
  const url = pair[step.on];
  return 'kumactl' in step ? command(step, url, folder) : request(step, url);
}

async function command({ on, kumactl, documents, until: arrived }: Command, url: string, folder: string): Promise<ComparedAnswer> {
  const file = join(folder, `${on}.yaml`);
  if (documents) writeFileSync(file, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  const args = kumactl.split(' ').map((word) => (word === '@' ? file : word.replace('$URL', url)));
  const ran = await settled(
    () => runKumactl(folder, on, args),
    ({ out }) => !arrived || arrived(out),
  );
  return plainRun(ran, [url, file]);
}

function plainRun({ code, out, err }: Ran, hidden: readonly string[]): ComparedAnswer {
  return { code, out: plainText(out, hidden), err: plainText(err, hidden) };
}

interface ReceivedAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: AnyJson;
}

async function request(step: RequestStep, url: string): Promise<ComparedAnswer> {
  const { until: arrived } = step;
  const received = await settled(
    () => send(step, url),
    ({ status, body }) => !arrived || (status === 200 && arrived(body)),
  );
  return plainValue(received, [url]);
}

/** Asks until the answer has arrived; what never arrives is a difference as any other. */
async function settled<T>(ask: () => Promise<T>, arrived: (answer: T) => unknown): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  let answer = await ask();
  while (!arrived(answer) && performance.now() < end) {
    await wait(50);
    answer = await ask();
  }
  return answer;
}

async function send({ method, path, body }: RequestStep, url: string): Promise<ReceivedAnswer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json' }, ...sent });
  const text = await response.text();
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? '';
  return { status: response.status, type, body: type === 'application/json' && text !== '' ? JSON.parse(text) : text };
}
