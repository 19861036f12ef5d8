import { randomBytes } from 'node:crypto';
import { WriteQueue } from '../../src/control/plane/write-queue.ts';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ApiOptions } from '../../src/api/api-options.ts';
import { createApi } from '../../src/api/server.ts';
import { Tokens } from '../../src/api/auth/api-tokens.ts';
import type { ApiRole } from '../../src/api/auth/principal.ts';
import type { Plane } from '../../src/control/plane/plane.ts';
import { parseDocuments } from '../../src/resource/documents/parse-documents.ts';
import { GLOBAL, type Place } from '../../src/resource/resource.ts';
import type { Scope } from '../harness/scope.ts';
import { zoneAccessOf } from '../harness/zone-access.ts';
import type { AnyJson } from './harness.ts';
import { openTestStore } from '../harness/test-store.ts';
import { writeDocuments } from '../harness/write-drafts.ts';

/** An API with tokens, on a clock of its own, and all that it reported. */
export interface GuardedApi {
  readonly plane: Plane;
  readonly options: ApiOptions;
  readonly app: FastifyInstance;
  readonly tokens: Tokens;
  readonly clock: { now: number };
  /** Every event, as it would be in the log. */
  readonly log: string[];
  issue(role: ApiRole, zone?: string, validFor?: number): Promise<string>;
}

/** 2026-01-01T00:00:00Z */
const START = 1_767_225_600_000;
const proxyTokens: ApiOptions['proxyTokens'] = {
  issue: () => ({ token: 'proof', nodeId: 'node', expires: '2026-01-02T00:00:00Z' }),
  revokeAll: () => {},
};

export function newGuarded(scope: Scope, place: Place, more: Partial<ApiOptions> = {}): GuardedApi {
  const plane = newPlane(scope, place);
  const clock = { now: START };
  const now = () => clock.now;
  const log: string[] = [];
  const report: ApiOptions['report'] = (...line) => void log.push(JSON.stringify(line));
  const info = { version: '0.1.0', instance: 'instance-1', clusterId: 'cluster-1' };
  const options: ApiOptions = {
    plane,
    writes: new WriteQueue(plane.store, setImmediate),
    sync: undefined,
    onCommit: () => {},
    proxyTokens,
    ...(place.zone === '' ? {} : { zoneAccess: zoneAccessOf(plane) }),
    proxies: () => [],
    address: '127.0.0.1',
    port: 0,
    info,
    report,
    now,
    ...more,
  };
  const tokens = new Tokens(plane, options.writes, now);
  const app = createApi(options, tokens);
  scope.add(() => app.close());
  const issue = async (role: ApiRole, zone?: string, validFor = 3600) =>
    (await tokens.issue({ name: `a ${role}`, role, zone, validFor, issuedBy: 'a test' })).token;
  return { plane, options, app, tokens, clock, log, issue };
}

/** An answer to somebody elsewhere, or here when `remoteAddress` says so. */
export async function askFrom(
  { app }: Pick<GuardedApi, 'app'>,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  url: string,
  {
    token,
    headers = {},
    body,
    remoteAddress = '10.1.2.3',
  }: { token?: string; headers?: Record<string, string>; body?: object; remoteAddress?: string } = {},
): Promise<{ status: number; body: AnyJson; headers: Readonly<Record<string, unknown>> }> {
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await app.inject({
    method,
    url,
    remoteAddress,
    headers: { host: '10.9.9.9:5681', 'content-type': 'application/json', ...authorization, ...headers },
    payload: JSON.stringify(body ?? {}),
  });
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return { status: answer.statusCode, body: isJson ? JSON.parse(answer.body) : answer.body, headers: answer.headers };
}

/** A control plane with the mesh `default`, whose store has an ID of its own. */
export function newPlane(scope: Scope, place: Place): Plane {
  const store = openTestStore(join(scope.folder(), 'store.db'), () => randomBytes(8).toString('hex'));
  scope.add(() => store.close());
  const now = () => '2026-01-01T00:00:00Z';
  writeDocuments({ place: GLOBAL, store, now }, parseDocuments('{type: Mesh, name: default}'));
  return { place, store, now };
}
