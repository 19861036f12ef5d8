import { hostname } from 'node:os';
import type { FastifyInstance } from 'fastify';
import { isGlobal, type Plane } from '../../control/plane/plane.ts';
import { isInsight, type Kind, KINDS, type PolicyShape, singularOf } from '../../resource/kinds.ts';
import { principalOf } from '../auth/principal.ts';
import { getConfig, getInfo, listKinds, listPolicyKinds, whoAmI } from '../openapi/openapi-info.ts';
import { described } from '../openapi/operation.ts';
import type { ApiOptions } from '../api-options.ts';
import { isReadOnly } from '../resources/read-only-kinds.ts';

/** The API that is spoken: kumactl refuses any other product, and warns of any other version. */
const API = { product: 'Kuma', version: '2.14.3' } as const;

const FAILED = 'Could not describe the control plane';

/** What the control plane is and what it can do, in Kuma's shapes. */
export function addInfoRoutes(app: FastifyInstance, options: ApiOptions): void {
  const { plane, info, page } = options;
  // A client that has not authenticated learns what this is, but not where.
  app.get('/', described(FAILED, getInfo), ({ principal }) => ({
    ...API,
    hostname: principal ? hostname() : '',
    instanceId: principal ? info.instance : '',
    clusterId: principal ? info.clusterId : '',
    gui: page ? '/gui' : '',
    implementation: { name: 'Meridian', version: info.version },
  }));
  app.get('/who-am-i', described(FAILED, whoAmI), (request) => {
    const { name, role } = principalOf(request);
    return { name, groups: [role] };
  });
  const byName = [...KINDS].sort((a, b) => (a.type < b.type ? -1 : 1));
  // Apart, for kumactl: it warns of kinds that it does not know, and can't apply an export that begins with a warning.
  const [kumas, own] = [byName.filter(isKumas), byName.filter((kind) => !isKumas(kind))];
  app.get('/_resources', described(FAILED, listKinds), () => ({
    resources: kumas.map((kind) => describeKind(kind, plane)),
    ownResources: own.map((kind) => describeKind(kind, plane)),
  }));
  app.get('/policies', described(FAILED, listPolicyKinds), () => ({ policies: byName.flatMap((kind) => describePolicy(kind, plane)) }));
  app.get('/config', described(FAILED, getConfig), () => describeConfig(options));
}

function isKumas({ apiVersion }: Kind): boolean {
  return apiVersion.startsWith('kuma.io/');
}

function describeKind(kind: Kind, { place }: Plane) {
  return {
    // What `kumactl export` carries to another global: what a user wrote at this one. It knows no kinds but Kuma's.
    includeInFederation: kind.writtenBy.global && !isInsight(kind) && kind.type !== 'Zone' && isKumas(kind),
    name: kind.type,
    path: kind.path,
    pluralDisplayName: kind.plural,
    ...(kind.policy ? { policy: describeShape(kind, kind.policy) } : {}),
    readOnly: isReadOnly(kind, place),
    scope: kind.scope,
    shortName: kind.short,
    singularDisplayName: singularOf(kind.type),
  };
}

function describeShape({ fromAsRules }: Kind, { from, rules, to }: PolicyShape) {
  return {
    hasFromTargetRef: from,
    hasRulesTargetRef: rules,
    hasToTargetRef: to,
    isFromAsRules: fromAsRules,
    isTargetRef: true,
  };
}

function describePolicy(kind: Kind, { place }: Plane) {
  if (!kind.policy) return [];
  return [
    {
      name: kind.type,
      readOnly: isReadOnly(kind, place),
      path: kind.path,
      singularDisplayName: singularOf(kind.type),
      pluralDisplayName: kind.plural,
      isExperimental: false,
      isTargetRefBased: true,
      isInbound: kind.policy.from,
      isOutbound: kind.policy.to,
    },
  ];
}

/** The configuration that clients may know, under Kuma's keys. There is no secret among it. */
function describeConfig({ plane: { place }, address, port, access }: ApiOptions) {
  const listener = { enabled: true, interface: address, port };
  return {
    mode: isGlobal(place) ? 'global' : 'zone',
    environment: place.environment,
    ...(isGlobal(place) ? {} : { multizone: { zone: { name: place.zone } } }),
    store: { type: 'sqlite', kubernetes: { systemNamespace: place.systemNamespace } },
    apiServer: access?.tls ? { http: { ...listener, enabled: false }, https: listener } : { http: listener },
  };
}
