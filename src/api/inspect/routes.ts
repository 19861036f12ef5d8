import type { FastifyInstance } from 'fastify';
import { createMeshViews } from '../../control/mesh-view.ts';
import type { ApiOptions } from '../options.ts';
import { addCanRoute } from './can.ts';
import { addLayoutRoute } from './layout.ts';
import { addOverviewRoutes } from './overview.ts';
import { addPoliciesRoutes } from './policies.ts';
import { addRulesRoute } from './rules.ts';
import { addSelectedRoutes } from './selected.ts';

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
