import { givenResource } from '../../src/policy/decide/given-requests.ts';
import { asText } from '../../src/naming/json.ts';
import type { JsonObject, Resource } from '../../src/resource/resource.ts';

/**
 * What the generated policies may select and speak of, the same for the real Kuma and for Meridian: two proxies, a
 * service, and two routes to it. In the world with a namespace all of it is in `ns`, and policies have roles.
 */
export type Space = '' | 'ns';

const PORTS = [
  { port: 80, targetPort: 8080, name: 'main', appProtocol: 'http' },
  { port: 81, targetPort: 8081, name: 'admin', appProtocol: 'http' },
];

/** Labels of something of the zone `east`, and of a namespace where there is one. */
export function homeLabels(space: Space): JsonObject {
  return { 'kuma.io/origin': 'zone', 'kuma.io/zone': 'east', ...(space === '' ? {} : { 'k8s.kuma.io/namespace': space }) };
}

/** In the order in which they are made. */
export function worldOf(mesh: string, space: Space): readonly JsonObject[] {
  const made = (type: string, name: string, label: JsonObject, body: JsonObject): JsonObject => ({
    type,
    mesh,
    name,
    labels: { ...label, ...homeLabels(space) },
    ...body,
  });
  const proxy = (name: string, app: string) => {
    const inbound = [8080, 8081].map((port, index) => ({
      port,
      name: index === 0 ? 'main' : 'admin',
      tags: { 'kuma.io/service': app, 'kuma.io/protocol': 'http', app, port: String(port) },
    }));
    return made('Dataplane', name, { app }, { networking: { address: '127.0.0.1', inbound } });
  };
  const route = (name: string, targetRef: JsonObject) => {
    const rules = [{ matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }], default: {} }];
    return made('MeshHTTPRoute', name, { route: name }, { spec: { targetRef, to: [{ targetRef: SERVICE, rules }] } });
  };
  return [
    proxy('backend-1', 'backend'),
    proxy('client-1', 'client'),
    made('MeshService', 'store', { app: 'store' }, { spec: { selector: { dataplaneTags: { app: 'backend' } }, ports: PORTS } }),
    ...(space === '' ? [route('own', { kind: 'Dataplane', labels: { app: 'client' } }), route('all', { kind: 'Mesh' })] : []),
  ];
}

/** Kuma itself makes services by the values of the tag: this one is called otherwise. */
const SERVICE: JsonObject = { kind: 'MeshService', name: 'store' };

/** As Meridian reads them: without the label that says no more than the zone's. */
export function toResource(document: JsonObject): Resource {
  const { 'kuma.io/origin': _, ...labels } = document.labels as JsonObject;
  return givenResource({ ...document, labels }, asText(document.name) ?? '');
}
