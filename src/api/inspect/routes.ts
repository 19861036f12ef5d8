import type { FastifyInstance } from 'fastify';
import { createMeshViews } from '../../control/mesh-view.js';
import type { ApiOptions } from '../options.js';
import { addCanRoute } from './can.js';
import { addLayoutRoute } from './layout.js';
import { addOverviewRoutes } from './overview.js';
import { addPoliciesRoutes } from './policies.js';
import { addRulesRoute } from './rules.js';
import { addSelectedRoutes } from './selected.js';

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
