import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Daemon } from '../harness/daemon.ts';

/** What a name holds in a store: the version that was written last; undefined when there is none. */
export type Version = number | undefined;

/** What a writer writes, and how it is asked for. */
export interface WrittenKind {
  readonly path: string;
  /** Of the resource `name` in the REST API of its origin. */
  readonly nameAt: (name: string) => string;
  readonly documentOf: (name: string, version: number) => unknown;
}

export const TIMEOUTS: WrittenKind = {
  path: 'meshtimeouts',
  nameAt: (name) => name,
  documentOf: (name, version) => ({
    type: 'MeshTimeout',
    mesh: 'default',
    name,
    spec: { to: [{ targetRef: { kind: 'Mesh' }, default: { connectionTimeout: `${version}s` } }] },
  }),
};

/** Producer policies: they go from their zone to global and on to the other zones. */
export const RETRIES: WrittenKind = {
  path: 'meshretries',
  nameAt: (name) => `${name}.app`,
  documentOf: (name, version) => ({
    apiVersion: 'kuma.io/v1alpha1',
    kind: 'MeshRetry',
    metadata: { name, namespace: 'app' },
    spec: { to: [{ targetRef: { kind: 'MeshService', name: 'backend' }, default: { tcp: { maxConnectAttempt: version } } }] },
  }),
};

const NAMES = 12;
const PAUSE = 5;

/**
 * Writes without end and remembers what it was told. A name may hold what was acknowledged last, or anything that was
 * tried since and not answered:
 *
 *   put 7, 200              may hold 7
 *   put 8, connection lost  may hold 7 or 8
 *   delete, 200             may hold nothing
 */
export class FaultWriter {
  readonly kind: WrittenKind;
  private readonly target: () => Daemon;

  acknowledged = 0;
  private version = 0;
  private stopped = true;
  private writing: Promise<void> = Promise.resolve();
  private readonly may = new Map<string, Version[]>();

  constructor(kind: WrittenKind, target: () => Daemon) {
    this.kind = kind;
    this.target = target;
  }

  start(): void {
    this.stopped = false;
    this.writing = this.write();
  }

  /** Waits for the answer that is due. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.writing;
  }

  /** What its store has lost, or has by half. What it has now is what it may have from now on. */
  async check(): Promise<string[]> {
    const found = await versionsAt(this.target(), this.kind);
    const lost = [...this.may].filter(([name, versions]) => !versions.includes(found.get(name)));
    const halves = [...found].filter(([name, version]) => name.startsWith('left') && found.get(name.replace('left', 'right')) !== version);
    for (const name of this.may.keys()) this.may.set(name, [found.get(name)]);
    return [
      ...lost.map(([name, versions]) => `${name} holds ${found.get(name)}, may hold ${versions.join(' or ')}`),
      ...halves.map(([name]) => `${name} without its other half`),
    ];
  }

  private async write(): Promise<void> {
    while (!this.stopped) {
      this.version += 1;
      const index = this.version % NAMES;
      if (this.version % 3 > 0) await this.put([`left-${index}`, `right-${index}`]);
      else if (this.version % 2 > 0) await this.put([`single-${index}`]);
      else await this.delete(`single-${(this.version - 3) % NAMES}`);
      await wait(PAUSE);
    }
  }

  private async put(names: readonly string[]): Promise<void> {
    const { version } = this;
    const documents = names.map((name) => this.kind.documentOf(name, version));
    await this.attempt(names, version, 'POST', '/apply', JSON.stringify(documents));
  }

  private async delete(name: string): Promise<void> {
    await this.attempt([name], undefined, 'DELETE', `/meshes/default/${this.kind.path}/${this.kind.nameAt(name)}`);
  }

  private async attempt(names: readonly string[], version: Version, method: string, path: string, body?: string): Promise<void> {
    for (const name of names) this.may.set(name, [...(this.may.get(name) ?? [undefined]), version]);
    const status = await statusOf(`${this.target().url}${path}`, method, body);
    if (status === undefined) return;
    assert.ok(status === 200 || (status === 404 && method === 'DELETE'), `${method} ${path}: ${status}`);
    for (const name of names) this.may.set(name, [version]);
    this.acknowledged += 1;
  }
}

/** undefined: no answer. */
async function statusOf(url: string, method: string, body?: string): Promise<number | undefined> {
  try {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

/** By display name. */
export async function versionsAt(daemon: Daemon, { path }: WrittenKind): Promise<Map<string, Version>> {
  const response = await fetch(`${daemon.url}/meshes/default/${path}?size=1000`);
  const { items } = (await response.json()) as { items: { labels: Record<string, string>; spec: unknown }[] };
  const lines = items.map(({ labels, spec }): [string, Version] => [
    labels['kuma.io/display-name'] ?? '',
    Number(/(?:Timeout":"|Attempt":)(\d+)/.exec(JSON.stringify(spec))?.[1]),
  ]);
  return new Map(lines.sort(([a], [b]) => (a < b ? -1 : 1)));
}
