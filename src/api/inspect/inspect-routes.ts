import type { FastifyInstance } from 'fastify';
import { createMeshViews } from '../../control/mesh/mesh-view.ts';
import type { ApiOptions } from '../api-options.ts';
import { addCanRoute } from './can-route.ts';
import { addLayoutRoute } from './layout-route.ts';
import { addOverviewRoutes } from './overview-routes.ts';
import { addPoliciesRoutes } from './policies-routes.ts';
import { addRulesRoute } from './rules-routes.ts';
import { addSelectedRoutes } from './selected-proxies.ts';

/** What policies come to on proxies, and which proxies a policy selects. */
export function addInspectRoutes(app: FastifyInstance, options: ApiOptions): void {
  const inspecting = { ...options, views: createMeshViews(options.plane) };
  addOverviewRoutes(app, inspecting);
  addLayoutRoute(app, inspecting);
  addPoliciesRoutes(app, inspecting);
  addRulesRoute(app, inspecting);
  addSelectedRoutes(app, inspecting);
  addCanRoute(app, inspecting);
}
