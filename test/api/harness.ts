import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import type { ApiOptions } from '../../src/api/api-options.ts';
import { createApi } from '../../src/api/server.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { watchCommits } from '../../src/control/plane/watch-commits.ts';
import { parseDocuments } from '../../src/resource/documents/parse-documents.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import type { Scope } from '../harness/scope.ts';
import type { Node } from '../simulator/node.ts';
import { World } from '../simulator/world.ts';
import { holdToContract } from './contract.ts';
import { openTestStore } from '../harness/test-store.ts';
import { writeDocuments } from '../harness/write-drafts.ts';

export const EAST: Place = { zone: 'east', environment: 'kubernetes', systemNamespace: 'kuma-system' };
export const WEST: Place = { zone: 'west', environment: 'universal', systemNamespace: '' };

/** An API, and what it said to its control plane. */
export interface TestedApi {
  readonly plane: Plane;
  readonly app: FastifyInstance;
  readonly options: ApiOptions;
  /** How often it told of a commit. */
  commits(): number;
  /** Events of the level error. */
  readonly errors: string[];
  /** Answers that are not as the OpenAPI document has them. */
  readonly broken: readonly string[];
}

/** An API on a store in a file of its own, with the mesh `default`. */
export function newApi(scope: Scope, place: Place): TestedApi {
  const store = openTestStore(join(scope.folder(), 'store.db'));
  scope.add(() => store.close());
  const plane: Plane = { place, store, now: () => '2026-01-02T03:04:05.678Z' };
  meshAt(plane, 'default');
  return apiOn(scope, plane, undefined);
}

/** An API on a control plane of the simulator. */
export function apiOf(scope: Scope, node: Node): TestedApi {
  const view = (peer: string) => node.view(peer) ?? assert.fail(`${node.name} is down`);
  return apiOn(scope, node.plane, { view, peers: () => [], ended: () => undefined });
}

export function apiOn(
  scope: Scope,
  plane: Plane,
  sync: ApiOptions['sync'],
  address = '127.0.0.1',
  more: Partial<ApiOptions> = {},
): TestedApi {
  const { revision } = plane.store.head();
  const errors: string[] = [];
  const watched = watchCommits(plane, setImmediate);
  const options: ApiOptions = {
    plane: watched.plane,
    writes: watched.writes,
    onCommit: watched.onCommit,
    sync,
    ...more,
    address,
    port: 0,
    info: { version: '0.1.0', instance: 'instance-1', clusterId: 'cluster-1' },
    report: (level, event, details) => level === 'error' && errors.push(`${event} ${JSON.stringify(details)}`),
  };
  let held: { readonly app: FastifyInstance; readonly broken: readonly string[] } | undefined;
  const hold = () => (held ??= heldToContract(scope, options));
  return {
    plane,
    options,
    errors,
    commits: () => plane.store.head().revision - revision,
    // Made when it is asked for: many specs serve the options on a port, and the routes are most of what an API costs.
    get app() {
      return hold().app;
    },
    get broken() {
      return held?.broken ?? [];
    },
  };
}

function heldToContract(scope: Scope, options: ApiOptions) {
  const app = createApi(options);
  const broken = holdToContract(app);
  scope.add(() => assert.deepEqual(broken, []));
  scope.add(() => app.close());
  return { app, broken };
}

/** Global, east (kubernetes) and west (universal), connected and in step, with the mesh `default`. */
export function newWorld(): World {
  const world = new World(1, [EAST, WEST]);
  world.run(10_000);
  return world;
}

/** A mesh comes from global: in a zone's store it is put there as the sync does. */
function meshAt({ store, place }: Plane, name: string): void {
  writeDocuments({ place: GLOBAL, store, now: () => '2026-01-01T00:00:00Z' }, parseDocuments(`{type: Mesh, name: ${name}}`));
  assert.ok(place);
}

/** What an answer holds is asserted field by field: a type would say it a second time, and believe it. */
// oxlint-disable-next-line typescript/no-explicit-any -- JSON from outside, read by assertions only
export type AnyJson = any;

export interface ApiAnswer {
  readonly status: number;
  readonly body: AnyJson;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Asks as a client on this machine would. A body that is no text is sent as JSON. */
export async function ask(
  { app, broken = [] }: Pick<TestedApi, 'app'> & Partial<Pick<TestedApi, 'broken'>>,
  method: NonNullable<InjectOptions['method']>,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiAnswer> {
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = payload === undefined ? {} : { 'content-type': 'application/json' };
  const response = await app.inject({
    method,
    url,
    headers: { host: '127.0.0.1:5681', ...type, ...headers },
    ...(payload === undefined ? {} : { payload: payload as string | Buffer }),
  });
  assert.deepEqual(broken, []);
  return { status: response.statusCode, body: response.body === '' ? undefined : JSON.parse(response.body), headers: response.headers };
}

/** A MeshTimeout as a user sends it. */
export function timeout(name: string, labels?: Record<string, string>, spec: object = toMesh('1s')) {
  return { type: 'MeshTimeout', mesh: 'default', name, ...(labels ? { labels } : {}), spec };
}

export function toMesh(idleTimeout: string) {
  return { to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout } }] };
}

export function toService(name: string) {
  return { to: [{ targetRef: { kind: 'MeshService', name }, default: { idleTimeout: '1s' } }] };
}
