import Fastify, { type FastifyInstance } from 'fastify';
import { createMeshViews } from '../control/mesh/mesh-view.ts';
import { keepBeside } from '../control/write/write-warnings.ts';
import { MeridianError } from '../errors.ts';
import { turns } from '../control/plane/long-turns.ts';
import { addApplyRoute } from './resources/apply-route.ts';
import { addAuditing } from './audit/audit-requests.ts';
import { addAuditRoute } from './audit/audit-route.ts';
import type { AuditTrail } from './audit/audit-trail.ts';
import { writeFirstToken } from './auth/first-token.ts';
import { createGate } from './auth/auth-gate.ts';
import type { Gate } from './auth/principal.ts';
import { addTokenRoutes } from './auth/token-routes.ts';
import { Tokens } from './auth/api-tokens.ts';
import { type Bodies, createBodies } from './bodies/read-body.ts';
import { WorkBudget } from './bodies/work-budget.ts';
import { addBodyParsers, MAX_BODY_BYTES } from './http/request-bodies.ts';
import { errorHandler, sendNotFound } from './http/error-answers.ts';
import { refuseUnseenConditions } from './http/etags.ts';
import { addReadAnswers, headAsGet } from './http/read-answers.ts';
import { addForeignRoutes } from './resources/foreign-kinds.ts';
import { addGuiRoutes } from './gui/gui-route.ts';
import { addGuard } from './require-rights.ts';
import { addInfoRoutes } from './operate/info-routes.ts';
import { addGlobalInsightRoute } from './insights/global-insight.ts';
import { addMeshInsightRoutes } from './insights/mesh-insights.ts';
import { addServiceInsightRoutes } from './insights/service-insights.ts';
import { addEnforcementRoutes } from './inspect/enforcement.ts';
import { addInspectRoutes } from './inspect/inspect-routes.ts';
import { addKriRoutes } from './resources/kri-route.ts';
import { addLedgerRoute } from './operate/ledger-route.ts';
import { createListeners } from './http/api-listeners.ts';
import { answerWrongMethods } from './http/wrong-methods.ts';
import { addOpenApiRoutes } from './openapi/openapi-routes.ts';
import type { ApiOptions } from './api-options.ts';
import { addProxiesRoutes } from './operate/proxies-routes.ts';
import { addProxyTokensRoute } from './operate/proxy-tokens-route.ts';
import { addRecoverRoute } from './operate/recover-route.ts';
import { addResourceRoutes } from './resources/resource-routes.ts';
import { addSyncRoute } from './operate/sync-route.ts';
import { addTurnsRoute } from './operate/turns-route.ts';
import { addWatchRoute } from './watch/watch-route.ts';
import { addWatch } from './watch/watch-server.ts';
import { addWithoutRoute } from './resources/without-route.ts';
import { addZoneRoutes } from './resources/zone-routes.ts';

/** As long as a URL can be: a name that is too long is not found, as any other. */
const MAX_PARAMETER = 16 * 1024;

/**
 * Serves the REST API (docs/design/interfaces.md#rest) until `close`. `port` is the one it listens on. Throws
 * `unavailable` when the address can't be had.
 */
export async function startApi(options: ApiOptions): Promise<{ port: number; close(): Promise<void> }> {
  const tokens = tokensOf(options);
  const app = createApi(options, tokens);
  const { access, report } = options;
  if (access && !access.loopbackAdmin) await writeFirstToken(tokens, access.firstTokenFile, report);
  try {
    await app.listen({ host: options.address, port: options.port });
  } catch (cause) {
    await app.close();
    throw new MeridianError('unavailable', `the API can't listen on ${options.address}, port ${options.port}`, {
      cause,
      hint: 'choose another MERIDIAN_API_ADDRESS or MERIDIAN_API_PORT',
    });
  }
  const bound = app.server.address();
  return { port: typeof bound === 'object' && bound !== null ? bound.port : options.port, close: () => app.close() };
}

/** The API without a socket: for `startApi`, and to ask it directly. */
export function createApi(options: ApiOptions, tokens: Tokens = tokensOf(options)): FastifyInstance {
  const { report, access } = options;
  const listeners = createListeners(access?.tls, report);
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    frameworkErrors: errorHandler(report),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAMETER },
    rewriteUrl: headAsGet,
    serverFactory: listeners.create,
  });
  app.addHook('onClose', async () => listeners.close());
  app.setErrorHandler(errorHandler(report));
  app.setNotFoundHandler(sendNotFound);
  addGuard(app, gateOf(options, tokens));
  addBodyParsers(app);
  nameTurns(app);
  refuseUnseenConditions(app);
  addReadAnswers(app);
  const trail = addAuditing(app, options);
  const bodies = createBodies(options.plane.place, options.monotonic ?? processTime);
  app.addHook('onClose', async () => bodies.close());
  const watched = addWatch(app, options);
  options.onCommit(() => turns.run('watch', '', watched));
  answerWrongMethods(app, () => addRoutes(app, options, { tokens, trail, bodies }));
  return app;
}

/** Says which route kept the event loop, or that an answer did while it was made a text. */
function nameTurns(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    const about = `${[route.method].flat().join(', ')} ${route.url}`;
    route.handler = function (...asked) {
      return turns.run('request', about, () => handler.apply(this, asked));
    };
  });
  app.setReplySerializer((payload) => turns.run('answer', '', () => JSON.stringify(payload)));
}

function tokensOf({ plane, writes, now = Date.now }: ApiOptions): Tokens {
  return new Tokens(plane, writes, now);
}

function processTime(): number {
  return performance.now();
}

function gateOf({ plane, address, access, report, monotonic = processTime }: ApiOptions, tokens: Tokens): Gate {
  const { hostNames = [], loopbackAdmin = true } = access ?? {};
  const names = [address, ...hostNames].map((name) => name.toLowerCase());
  return createGate({ tokens, place: plane.place, names, loopbackAdmin, report, monotonic });
}

function addRoutes(
  app: FastifyInstance,
  options: ApiOptions,
  { tokens, trail, bodies }: { tokens: Tokens; trail: AuditTrail; bodies: Bodies },
): void {
  // Kept once: whoever writes asks for them.
  const beside = keepBeside(options.plane);
  const views = createMeshViews(options.plane);
  addOpenApiRoutes(app, options);
  addInfoRoutes(app, options);
  addGuiRoutes(app, options);
  addKriRoutes(app, options);
  addZoneRoutes(app, options);
  const budget = new WorkBudget(options.monotonic ?? processTime);
  addInspectRoutes(app, { ...options, views, budget });
  addEnforcementRoutes(app, options, beside);
  addResourceRoutes(app, options, beside, bodies);
  addForeignRoutes(app, options);
  addMeshInsightRoutes(app, options);
  addServiceInsightRoutes(app, options);
  addGlobalInsightRoute(app, options);
  addApplyRoute(app, { ...options, views, budget }, beside, bodies);
  addWithoutRoute(app, { ...options, budget });
  addLedgerRoute(app, options);
  addSyncRoute(app, options);
  addTurnsRoute(app);
  addRecoverRoute(app, options);
  addWatchRoute(app);
  addAuditRoute(app, options, trail);
  addProxyTokensRoute(app, options);
  addProxiesRoutes(app, options);
  addTokenRoutes(app, tokens, options.plane.place);
}
