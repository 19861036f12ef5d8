import type { FastifyInstance } from 'fastify';
import { isGlobal } from '../../control/plane/plane.ts';
import { kindOf } from '../../resource/kinds.ts';
import { MANY } from '../inspect/inspect-context.ts';
import { described, type Operation } from '../openapi/operation.ts';
import type { ApiOptions } from '../api-options.ts';
import { totalsOf } from './mesh-insights.ts';
import { servicesOf } from './count-services.ts';
import { globalInsight } from './insight-shapes.ts';
import { countedIn, type ProxyKind, type OnlineStatus, tallyOf } from './insight-status.ts';

const get: Operation = {
  id: 'getGlobalInsight',
  summary: 'What is in all meshes, counted',
  tag: 'Inspection',
  answers: { 200: globalInsight },
};

const NONE = { online: 0, total: 0 };

/** `/global-insight`: what this control plane knows of everything, for dashboards. */
export function addGlobalInsightRoute(app: FastifyInstance, options: ApiOptions): void {
  const { store, now } = options.plane;
  app.get('/global-insight', described(MANY, get), () => {
    const counted = countedIn(store);
    const services = servicesOf(counted);
    const { Mesh: meshes = { total: 0 }, Zone: _, ...resources } = totalsOf(store, () => true);
    const policies = Object.entries(resources).filter(([type]) => kindOf(type).policy);
    return {
      createdAt: now(),
      dataplanes: { standard: tally(counted, 'standard'), ...gateways(counted) },
      meshes,
      policies: { total: policies.reduce((sum, [, { total }]) => sum + total, 0) },
      resources,
      services: { external: { total: 0 }, internal: tally(services, 'standard'), ...gateways(services) },
      zones: { controlPlanes: controlPlanes(options), zoneEgresses: NONE, zoneIngresses: NONE },
    };
  });
}

type KnownProxies = readonly { readonly kind: ProxyKind; readonly status: OnlineStatus }[];

function tally(known: KnownProxies, wanted: ProxyKind) {
  return tallyOf(known.filter(({ kind }) => kind === wanted));
}

function gateways(known: KnownProxies) {
  return { gatewayBuiltin: tally(known, 'gatewayBuiltin'), gatewayDelegated: tally(known, 'gatewayDelegated') };
}

/** A zone knows of itself alone. */
function controlPlanes({ plane, sync }: ApiOptions) {
  if (!isGlobal(plane.place)) return { online: 1, total: 1 };
  const zones = [...plane.store.each('Zone')].map(({ resource }) => resource.key.name);
  return { online: zones.filter((zone) => sync?.view(zone).online).length, total: zones.length };
}
