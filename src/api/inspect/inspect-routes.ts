import type { FastifyInstance } from 'fastify';
import { addAccessRoute } from './access-route.ts';
import { addCanRoutes } from './can-route.ts';
import { addConnectRoutes } from '../calls/connect-route.ts';
import { addMatrixRoute } from './matrix-route.ts';
import { addRequestsRoute } from './requests-route.ts';
import type { InspectOptions } from './inspect-context.ts';
import { addLayoutRoute } from './layout-route.ts';
import { addOverviewRoutes } from './overview-routes.ts';
import { addPoliciesRoutes } from './policies-routes.ts';
import { addRulesRoute } from './rules-routes.ts';
import { addSelectedRoutes } from './selected-proxies.ts';

/** What policies come to on proxies, and which proxies a policy selects. */
export function addInspectRoutes(app: FastifyInstance, options: InspectOptions): void {
  addOverviewRoutes(app, options);
  addLayoutRoute(app, options);
  addPoliciesRoutes(app, options);
  addRulesRoute(app, options);
  addSelectedRoutes(app, options);
  addCanRoutes(app, options);
  addRequestsRoute(app, options);
  addMatrixRoute(app, options);
  addAccessRoute(app, options);
  addConnectRoutes(app, options);
}
