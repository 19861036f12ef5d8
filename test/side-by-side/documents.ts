import type { JsonObject } from '../../src/resource/resource.ts';
import { KINDS } from '../../src/resource/kinds.ts';
import { SAMPLES } from '../api/samples.ts';

/** What users apply on the two control planes of the session. */

const NEEDS_MORE: readonly string[] = ['Mesh', 'Zone'];

const documentOf = (type: string, name: string, body: JsonObject): JsonObject => {
  const inMesh = KINDS.some((kind) => kind.type === type && kind.scope === 'Mesh');
  return { type, ...(inMesh ? { mesh: 'default' } : {}), name, ...body };
};

/** One of every kind that users write at global. */
export const AT_GLOBAL: readonly JsonObject[] = KINDS.filter(
  ({ type, apiVersion, short, writtenBy }) =>
    apiVersion.startsWith('kuma.io/') && short !== '' && writtenBy.global && !NEEDS_MORE.includes(type),
).map(({ type }) => documentOf(type, `sample-${type.toLowerCase()}`, SAMPLES[type] ?? {}));

/** As a mesh is without what Kuma puts into a new one. */
export const meshNamed = (name: string, body: JsonObject = {}): JsonObject => ({
  type: 'Mesh',
  name,
  skipCreatingInitialPolicies: ['*'],
  ...body,
});

export const zoneNamed = (name: string): JsonObject => ({ type: 'Zone', name, enabled: true });

export const timeout = (name: string, idleTimeout: string, more: JsonObject = {}): JsonObject => ({
  type: 'MeshTimeout',
  mesh: 'default',
  name,
  ...more,
  spec: { targetRef: { kind: 'Mesh' }, to: [{ targetRef: { kind: 'Mesh' }, default: { idleTimeout } }] },
});

export const permission = (name: string, value: string, labels?: JsonObject): JsonObject => ({
  type: 'MeshTrafficPermission',
  mesh: 'default',
  name,
  ...(labels ? { labels } : {}),
  spec: {
    targetRef: { kind: 'Dataplane', labels: { app: 'backend' } },
    rules: [
      { default: { allow: [{ spiffeID: { type: 'Prefix', value } }], deny: [{ spiffeID: { type: 'Exact', value: `${value}/bad` } }] } },
    ],
  },
});

export const dataplane = (service: string, port: number, more: JsonObject = {}): JsonObject => ({
  type: 'Dataplane',
  mesh: 'default',
  name: `${service}-1`,
  labels: { app: service },
  networking: {
    address: '127.0.0.1',
    inbound: [{ port, servicePort: 8080, tags: { 'kuma.io/service': service, 'kuma.io/protocol': 'http' } }],
    ...more,
  },
});

export const gateway = (name: string): JsonObject => ({
  type: 'Dataplane',
  mesh: 'default',
  name,
  networking: { address: '127.0.0.1', gateway: { type: 'DELEGATED', tags: { 'kuma.io/service': name } } },
});
