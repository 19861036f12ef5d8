import { kindOf } from '../../src/resource/kinds.ts';
import type { JsonObject } from '../../src/resource/resource.ts';
import type { Examples } from './fuzz-values.ts';
import { SAMPLES } from './samples.ts';

const MESH = { kind: 'Mesh' };
const LABELLED = { kind: 'MeshService', labels: { app: 'web' } };
const NAMED = { kind: 'MeshService', name: 'backend', namespace: 'ns' };

/** A document of each kind that users write, called `a`. */
export const DOCUMENTS: readonly JsonObject[] = Object.entries(SAMPLES).map(([type, body]) => universal(type, body));

/** Documents and parts of them that are accepted, by the ids of their components. */
export const EXAMPLES: Examples = {
  ...Object.fromEntries(Object.entries(SAMPLES).map(([type, body]) => [type, [universal(type, body)]])),
  ...Object.fromEntries(Object.entries(SAMPLES).map(([type, body]) => [`${type}Spec`, [body.spec ?? body]])),
  ...Object.fromEntries(Object.entries(SAMPLES).map(([type, body]) => [`${type}Object`, [object(type, body)]])),
  Document: DOCUMENTS,
  TopTargetRef: [
    ...[MESH, {}, { kind: 'MeshSubset', tags: { app: 'web' } }],
    ...[
      { kind: 'Dataplane', labels: { app: 'web' } },
      { kind: 'Dataplane', name: 'a' },
    ],
  ],
  RouteTopTargetRef: [MESH, { kind: 'Dataplane', labels: { app: 'web' } }, { kind: 'MeshGateway', name: 'edge' }],
  ToTargetRef: [MESH, LABELLED, NAMED, { kind: 'MeshService', name: 'backend' }, { kind: 'MeshHTTPRoute', name: 'a' }],
  FromTargetRef: [MESH, { kind: 'MeshSubset', tags: { app: 'web' } }, { kind: 'MeshService', name: 'web' }],
  BackendRef: [LABELLED, { ...NAMED, port: 80, weight: 1 }, { kind: 'MeshService', name: 'backend', weight: 0 }],
  SpiffeIdMatch: [
    { type: 'Prefix', value: 'spiffe://default/ns' },
    { type: 'Exact', value: 'spiffe://default/ns/web/sa/x' },
  ],
  Matcher: [{ method: 'GET' }, { path: { type: 'Prefix', value: '/metrics' }, spiffeId: { type: 'Exact', value: 'spiffe://td/a' } }],
  Labels: [{}, { app: 'web' }, { 'kuma.io/effect': 'shadow' }, { 'k8s.kuma.io/namespace': 'ns' }, { 'kuma.io/kds-sync': 'disabled' }],
  Question: [
    { from: { spiffeId: 'spiffe://default/ns/web/sa/x' }, to: { dataplane: 'a' }, method: 'GET', path: '/' },
    { from: { tags: { app: 'web' } }, to: { mesh: 'default', dataplane: 'a', port: 10001 } },
  ],
  ProxyTokenOrder: [{ mesh: 'default', dataplane: 'a' }],
  TokenOrder: [{ name: 'ci', role: 'read-only', validFor: '24h' }],
  UserTokenOrder: [{ name: 'ci@example.com', groups: [], validFor: '24h' }],
};

function universal(type: string, body: JsonObject): JsonObject {
  return { type, ...(kindOf(type).scope === 'Mesh' ? { mesh: 'default' } : {}), name: 'a', ...body };
}

function object(type: string, body: JsonObject): object {
  const { scope, apiVersion } = kindOf(type);
  const labels = scope === 'Mesh' ? { labels: { 'kuma.io/mesh': 'default' } } : {};
  return { apiVersion, kind: type, metadata: { name: 'a', ...labels }, spec: body.spec ?? body };
}
